import { CLOCK_TOLERANCE_MS } from '../event-types/webhook-event.model.ts';
import { NEW_MS } from '../subscriptions/subscription.model.ts';
import type { ReplayCause, ReplayWindow } from './replay.model.ts';

/**
 * The phases of a replay after a pause: it waits for the transactions that began to record events before the pause ended, then
 * walks the events that were recorded long after their time, then all others by their time. A requested replay has only the last.
 */
export type ReplayPhase = 'SETTLING' | 'LATE' | 'TIME';

/** The position of a walk: after this event. */
export interface WalkPosition {
  /** Its time; in the phase LATE, when it was recorded. */
  at: Date;
  id: string;
}

/** A replay whose next step is due, and the subscription as it is now. */
export interface ClaimedReplay extends ReplayWindow {
  id: string;
  cause: ReplayCause;
  phase: ReplayPhase;
  /** Transactions that were open at the end of the pause and may still record; null before the first look. */
  waitsFor: readonly string[] | null;
  reached: WalkPosition | null;
  subscriptionId: string;
  clientId: string;
  subscriptionStatus: string;
  eventTypes: readonly string[];
  /** When it was created. */
  subscribedAt: Date;
}

/**
 * Limits of one step: events that it reads, due deliveries of the subscription, because new events wait behind them, and pending
 * ones.
 */
export const STEP = { events: 1_000, due: 64, pending: 1_000 } as const;

/** An event that is recorded later than this after its time is found by when it was recorded. The index has the same condition. */
export const LATE_MS = 10 * 60_000;
/** An event may be this far ahead of its recording. */
const AHEAD_MS = 60 * 60_000;

/** Milliseconds until the next step of a replay: without room, on hold, and while it waits for transactions. */
const WAITS = { room: 50, held: 1_000, settling: 20 };

/** The begin and the end of the walk of a phase. */
export function boundsOf({ cause, phase, from, to }: ClaimedReplay): ReplayWindow {
  if (cause === 'ASKED') return { from, to };
  const end = to.getTime() + 1;
  if (phase === 'LATE') return { from, to: new Date(end) };
  return { from: new Date(from.getTime() - LATE_MS), to: new Date(end + AHEAD_MS) };
}

/** A subscription gets events from this time on without a requested replay (§6). */
export function deliversFrom({ subscribedAt }: ClaimedReplay): Date {
  return new Date(subscribedAt.getTime() - CLOCK_TOLERANCE_MS);
}

/** The result of one step. */
export interface WalkedEvents {
  /** Deliveries that may be made. */
  room: number;
  /** Events that were read. */
  scanned: number;
  /** The last of them. */
  last: WalkPosition | undefined;
  /** Those to deliver, as many as there is room for. */
  matched: readonly (WalkPosition & { time: Date })[];
}

/** The state of a replay after a step. */
export interface ReplayProgress {
  phase: ReplayPhase;
  reached: WalkPosition | null;
  isEnd: boolean;
  /** Milliseconds until the next step. */
  waitMs: number;
}

/** Whether the client may be too new for this replica to know it (ADR-0010). */
export function mayNotBeReplicated({ subscribedAt }: ClaimedReplay, now: Date): boolean {
  return subscribedAt.getTime() > now.getTime() - NEW_MS;
}

/** The subscription is paused, or its client is not known yet. */
export function onHold({ phase, reached }: ClaimedReplay): ReplayProgress {
  return { phase, reached, isEnd: false, waitMs: WAITS.held };
}

/**
 * Lists the transactions of the first look that are still open. Before they end, a walk could miss the events that they record.
 * @param open the transactions that are open now
 */
export function stillOpen({ waitsFor }: ClaimedReplay, open: readonly string[]): string[] {
  return waitsFor === null ? [...open] : waitsFor.filter((one) => open.includes(one));
}

/** After a look at the open transactions. */
export function afterSettling(waitsFor: readonly string[]): ReplayProgress {
  const isSettled = waitsFor.length === 0;
  return {
    phase: isSettled ? 'LATE' : 'SETTLING',
    reached: null,
    isEnd: false,
    waitMs: isSettled ? 0 : WAITS.settling,
  };
}

/** After a step of a walk: with room for all matching events it continues after the last event that it read. */
export function afterWalk({ phase, reached }: ClaimedReplay, walked: WalkedEvents): ReplayProgress {
  const { room, scanned, last, matched } = walked;
  if (room === 0) return { phase, reached, isEnd: false, waitMs: WAITS.room };
  const isFull = matched.length === room;
  const behind = (isFull ? matched.at(-1) : last) ?? reached;
  const position = behind && { at: behind.at, id: behind.id };
  if (isFull || scanned === STEP.events) return { phase, reached: position, isEnd: false, waitMs: 0 };
  return phase === 'LATE'
    ? { phase: 'TIME', reached: null, isEnd: false, waitMs: 0 }
    : { phase, reached: position, isEnd: true, waitMs: 0 };
}
