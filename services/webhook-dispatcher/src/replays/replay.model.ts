import { ApiError, type Text } from '@kontoport/errors';
import { type Day, dayOf } from '../retention/partition-day.model.ts';
import { TEXTS } from '../texts.ts';

/** The cause of a replay: a request for a range, or the end of a pause (§4.6). */
export const REPLAY_CAUSES = ['ASKED', 'RESUMED'] as const;

export type ReplayCause = (typeof REPLAY_CAUSES)[number];

export const REPLAY_STATUSES = ['RUNNING', 'COMPLETED'] as const;

/** Events of a range that are delivered again to one subscription (§4.6). */
export interface Replay {
  id: string;
  cause: ReplayCause;
  status: (typeof REPLAY_STATUSES)[number];
  /** Events at or after it; after a pause, events recorded since. */
  from: Date;
  /** Events before it. */
  to: Date;
  /** Events found so far, except those with a pending delivery. */
  events: number;
  /** Deliveries made of them. */
  deliveries: number;
  startedAt: Date;
  finishedAt: Date | null;
}

/** A range of event times: `from` is in it, `to` is not. */
export interface ReplayWindow {
  from: Date;
  to: Date;
}

const WINDOW_DAYS = 7;
const WINDOW_MS = WINDOW_DAYS * 24 * 60 * 60_000;

/** Limits: replays kept, and begun within an hour, of one subscription; replays of a client that run at once. */
export const MAX_REPLAYS = { kept: 20, anHour: 20, atOnce: 10 } as const;

/**
 * Checks the requested range: at most 7 days, within what is kept; without an end it ends now (§4.6).
 * @throws ApiError FORMAT_ERROR
 */
export function windowOf(
  asked: { from: Date; to: Date | undefined },
  { now, firstDay }: { now: Date; firstDay: Day },
): ReplayWindow {
  const { from, to = now } = asked;
  if (dayOf(from) < firstDay) throw refused('from', TEXTS('window-forgotten', { first: firstDay }));
  if (from > now) throw refused('from', TEXTS('window-ahead'));
  if (to > now) throw refused('to', TEXTS('window-ahead'));
  if (to <= from) throw refused('to', TEXTS('window-empty'));
  if (to.getTime() - from.getTime() > WINDOW_MS)
    throw refused('to', TEXTS('window-long', { days: WINDOW_DAYS }));
  return { from, to };
}

function refused(path: string, text: Text): ApiError {
  return new ApiError('FORMAT_ERROR', TEXTS('window-invalid'), { details: [{ path, text }] });
}

/** The same error for an unknown id, a deleted replay and one of another subscription (§4.6). */
export function replayUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('replay-unknown'));
}
