import type { SealingKeys } from '@kontoport/database';
import { type Route, route } from '@kontoport/gate';
import { uuid } from '@kontoport/http';
import type { QueueToClaim } from '../deliveries/delivery.model.ts';
import type { Db } from '../gen/db.ts';
import type { PartitionRetention } from '../retention/partition-retention.ts';
import { requireRoles } from '../subscriptions/subscription.model.ts';
import { findSubscription } from '../subscriptions/subscription.repository.ts';
import { subscriptionExample } from '../subscriptions/subscription.wire.ts';
import { named, subscriptionOfPath, wireOf } from '../subscriptions/subscriptions.routes.ts';
import { beginReplay } from './begin-replay.ts';
import { replayUnknown } from './replay.model.ts';
import { endPause, selectReplay } from './replay.repository.ts';
import {
  replayAnswer,
  replayBody,
  replayBodyExample,
  replayExample,
  replayToWire,
  resumedAnswer,
} from './replay.wire.ts';

const ANY_TOKEN = { kind: 'token' } as const;

interface ReplayDeps {
  db: { management: Db };
  retention: Pick<PartitionRetention, 'firstDay'>;
  secretsKeys: SealingKeys;
  dispatcher: { wake(queues: readonly QueueToClaim[]): void };
  /** Announces a new replay. */
  replays: { wake(): void };
}

/** Replays: of a time range, and of a pause that ends (§4.6). */
export function replayRoutes(deps: ReplayDeps): Route[] {
  return [replayRoute(deps), readRoute(deps), resumeRoute(deps)];
}

function replayRoute(deps: ReplayDeps): Route {
  return route({
    method: 'POST',
    ...named,
    path: `${named.path}/replay`,
    clause: ['§4.6', '§6'],
    summary: 'Send the events of a time range to a webhook subscription again',
    description:
      'Sends the kept events of its types from at most 7 days, each with its `idempotencyKey`; new events go first. At most ' +
      'one replay of a subscription and ten of a client run at a time, and 20 of a subscription may begin in an hour.',
    security: ANY_TOKEN,
    resource: subscriptionOfPath(deps),
    body: { json: replayBody, example: replayBodyExample },
    answers: { 202: { description: 'The running replay.', json: replayAnswer, example: replayExample } },
    refusals: ['STATUS_INVALID', 'SCOPE_INSUFFICIENT', 'RATE_LIMITED'],
    handler: async ({ principal, resource, body, now }) => {
      requireRoles(principal.client, resource.eventTypes);
      const { clientId, id } = resource;
      const replay = await beginReplay(deps, { owner: { clientId, id }, ...body, to: body.to, now });
      deps.replays.wake();
      return { status: 202, json: replayToWire(replay) };
    },
  });
}

function readRoute({ db }: ReplayDeps): Route {
  return route({
    method: 'GET',
    path: `${named.path}/replays/:replayId`,
    params: named.params.extend({ replayId: uuid }),
    unknown: replayUnknown,
    clause: '§4.6',
    summary: 'Read the progress of a replay of a webhook subscription',
    description: 'The last 20 of a subscription are kept.',
    security: ANY_TOKEN,
    resource: async ({ principal, params: { id, replayId } }) => {
      const found = await selectReplay(db.management, { clientId: principal.client.clientId, id }, replayId);
      if (found === undefined) throw replayUnknown();
      return found;
    },
    answers: { 200: { description: 'The replay.', json: replayAnswer, example: replayExample } },
    handler: async ({ resource }) => ({ status: 200, json: replayToWire(resource) }),
  });
}

function resumeRoute(deps: ReplayDeps): Route {
  return route({
    method: 'POST',
    ...named,
    path: `${named.path}/resume`,
    clause: ['§4.6', '§6'],
    summary: 'End the pause of a webhook subscription',
    description:
      'Pending deliveries continue, and a replay sends the kept events since `pausedAt`. An active subscription does not ' +
      'change.',
    security: ANY_TOKEN,
    resource: subscriptionOfPath(deps),
    answers: {
      200: {
        description: 'The active subscription, and the replay of the events of the pause.',
        json: resumedAnswer,
        example: { ...subscriptionExample, replayId: replayExample.replayId },
      },
    },
    handler: async ({ resource: { clientId, id, internalId: subscriptionId } }) => {
      const { management } = deps.db;
      const replayId = await endPause(management, { clientId, id });
      const found = await findSubscription(management, { clientId, id });
      if (found === undefined) throw named.unknown();
      if (replayId === undefined) return { status: 200, json: wireOf(deps, found) };
      deps.replays.wake();
      deps.dispatcher.wake([{ subscriptionId, clientId }]);
      return { status: 200, json: { ...wireOf(deps, found), replayId } };
    },
  });
}
