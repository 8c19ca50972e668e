import { CLOCK_TOLERANCE_MS } from '../event-types/webhook-event.model.ts';
import { NEW_MS } from '../subscriptions/subscription.model.ts';
import type { ReplayCause, ReplayWindow } from './replay.model.ts';

/**
 * What a replay is about: first it waits for those who began to record events before the pause was over, then it goes over
 * what was recorded long after its time, then over all the rest by its time. One that was asked for begins with the last.
 */
export type ReplayPhase = 'SETTLING' | 'LATE' | 'TIME';

/** Where a walk stands: behind this event. */
export interface WalkPosition {
  /** Its time, or when it was recorded, as the phase goes. */
  at: Date;
  id: string;
}

/** A replay whose next step is due, and the subscription as it is now. */
export interface ClaimedReplay extends ReplayWindow {
  id: string;
  cause: ReplayCause;
  phase: ReplayPhase;
  /** Transactions of which one was open when the pause was over; nothing when nobody has looked yet. */
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
 * How far a replay goes ahead of its deliveries: it looks at so many events in one step, and makes no more than so many
 * due, for what is fresh comes behind those, and no more than so many that wait for an attempt.
 */
export const STEP = { events: 1_000, due: 64, pending: 1_000 } as const;

/** What is later than this after its time is found by when it was recorded; as the index has it. */
export const LATE_MS = 10 * 60_000;
/** Events may be so much ahead of their recording. */
const AHEAD_MS = 60 * 60_000;

/** Milliseconds until the next step of a replay: of one without room, of one that is held up. */
const WAITS = { room: 50, held: 1_000, settling: 20 };

/** Where the walk of a phase begins, and before what it ends. */
export function boundsOf({ cause, phase, from, to }: ClaimedReplay): ReplayWindow {
  if (cause === 'ASKED') return { from, to };
  const end = to.getTime() + 1;
  if (phase === 'LATE') return { from, to: new Date(end) };
  return { from: new Date(from.getTime() - LATE_MS), to: new Date(end + AHEAD_MS) };
}

/** A subscription hears of events at or after this time by itself, without asking (§6). */
export function deliversFrom({ subscribedAt }: ClaimedReplay): Date {
  return new Date(subscribedAt.getTime() - CLOCK_TOLERANCE_MS);
}

/** What one step found. */
export interface WalkedEvents {
  /** Deliveries that might be made. */
  room: number;
  /** Events that were looked at. */
  scanned: number;
  /** The last of them. */
  last: WalkPosition | undefined;
  /** Those to be delivered, as many as there was room for. */
  matched: readonly (WalkPosition & { time: Date })[];
}

/** What is true of a replay after a step. */
export interface ReplayProgress {
  phase: ReplayPhase;
  reached: WalkPosition | null;
  isEnd: boolean;
  /** Milliseconds until the next step. */
  waitMs: number;
}

/** Whether this replica, which does not know the client, need not know it yet (ADR-0010). */
export function mayNotBeReplicated({ subscribedAt }: ClaimedReplay, now: Date): boolean {
  return subscribedAt.getTime() > now.getTime() - NEW_MS;
}

/** Nothing can be done while the subscription is paused, or its client is not known yet. */
export function onHold({ phase, reached }: ClaimedReplay): ReplayProgress {
  return { phase, reached, isEnd: false, waitMs: WAITS.held };
}

/**
 * Waits for the transactions that were there when it was first looked: until then the walk might miss what they record.
 * @param open those that are there now
 * @returns what is left of them; nothing once all have ended
 */
export function stillOpen({ waitsFor }: ClaimedReplay, open: readonly string[]): string[] {
  return waitsFor === null ? [...open] : waitsFor.filter((one) => open.includes(one));
}

/** After a look at who is still to be waited for. */
export function afterSettling(waitsFor: readonly string[]): ReplayProgress {
  const isSettled = waitsFor.length === 0;
  return {
    phase: isSettled ? 'LATE' : 'SETTLING',
    reached: null,
    isEnd: false,
    waitMs: isSettled ? 0 : WAITS.settling,
  };
}

/** After a step of a walk: where there was room for all that was found, it goes on behind the last event. */
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
