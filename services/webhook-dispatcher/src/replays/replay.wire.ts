import { instant } from '@kontoport/http';
import { z } from 'zod';
import { subscriptionAnswer } from '../subscriptions/subscription.wire.ts';
import { type Replay, REPLAY_CAUSES, REPLAY_STATUSES } from './replay.model.ts';

const INSTANT = 'A date, which means 12:00 on that day, or a date-time; UTC if it has no zone.';

/** The body of POST /v1/webhook-subscriptions/{id}/replay (§4.6). */
export const replayBody = z.strictObject({
  from: instant('up')
    .transform((text) => new Date(text))
    .meta({ description: `Events at or after it, by \`eventTime\`. ${INSTANT}` }),
  to: instant('up')
    .transform((text) => new Date(text))
    .optional()
    .meta({ description: `Events before it; default: now. ${INSTANT}` }),
});

/** A replay as every answer shows it. */
export const replayAnswer = z
  .object({
    replayId: z.guid().meta({ description: 'Identifies the replay.' }),
    cause: z
      .enum(REPLAY_CAUSES)
      .meta({ description: 'ASKED: a request for a range. RESUMED: the end of a pause.' }),
    status: z.enum(REPLAY_STATUSES).meta({ description: 'Whether it still creates deliveries.' }),
    from: z.iso.datetime({ precision: 3 }).meta({ description: 'After a pause: its start.' }),
    to: z.iso.datetime({ precision: 3 }).meta({ description: 'After a pause: its end.' }),
    events: z
      .int()
      .meta({ description: 'The number of events found so far, without those that were pending.' }),
    deliveries: z.int().meta({
      description: 'The number of deliveries created for them; an event that was sent 100 times gets none.',
    }),
    startedAt: z.iso.datetime({ precision: 3 }).meta({ description: 'The time at which it began.' }),
    finishedAt: z.iso
      .datetime({ precision: 3 })
      .optional()
      .meta({ description: 'The time at which it was complete.' }),
  })
  .meta({ id: 'WebhookReplay' });

/** Answer to POST /v1/webhook-subscriptions/{id}/resume. */
export const resumedAnswer = subscriptionAnswer
  .extend({
    replayId: z.guid().optional().meta({
      description: 'The replay of the events of the pause; absent if there was no pause.',
    }),
  })
  .meta({ id: 'WebhookSubscriptionResumed' });

/** A replay as its owner sees it. */
export function replayToWire(replay: Replay): z.input<typeof replayAnswer> {
  const { id, cause, status, from, to, events, deliveries, startedAt, finishedAt } = replay;
  return {
    replayId: id,
    cause,
    status,
    from: from.toISOString(),
    to: to.toISOString(),
    events,
    deliveries,
    startedAt: startedAt.toISOString(),
    ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
  };
}

export const replayBodyExample = { from: '2026-11-20T00:00:00Z', to: '2026-11-21T12:00:00Z' };

export const replayExample: z.input<typeof replayAnswer> = {
  replayId: '5d0c7a52-6f0e-4a4c-9a39-3f3b6f0f8f11',
  cause: 'ASKED',
  status: 'RUNNING',
  from: '2026-11-20T00:00:00.000Z',
  to: '2026-11-21T12:00:00.000Z',
  events: 64,
  deliveries: 61,
  startedAt: '2026-11-21T12:00:01.500Z',
};
