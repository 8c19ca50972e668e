/** The clock of a simulated bank. */
export interface Clock {
  now: Date;
  /** How far it is ahead of the real time. */
  offsetMs: number;
}

/** A moved clock, for services that keep times of their own. */
export interface MovedClock {
  clientId: string;
  offsetMs: number;
  movedAt: Date;
}

/** How a pending transaction ends by itself. */
export const DUE_OUTCOMES = ['settle', 'fail'] as const;
export type DueOutcome = (typeof DUE_OUTCOMES)[number];

/** A pending transaction whose time has come. */
export interface Due {
  transactionId: string;
  accountId: string;
  outcome: DueOutcome;
  /** By the clock of its bank. */
  endsAt: Date;
}

/** Entries that a client may make through the sandbox's own routes. */
export const MAX_ENTRIES = { ofDay: 1_000, inAll: 10_000 };

/** Pending transactions of a simulated bank that may wait for their end at a time: a page of the V2 list has all of them. */
export const MAX_WAITING = 100;

/** Whether a transaction id could be that of a synthetic transaction, a UUID version 5: callers must not take those. */
export function isReservedId(transactionId: string): boolean {
  return transactionId[14] === '5';
}
