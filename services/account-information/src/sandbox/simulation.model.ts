/** The clock of a simulated bank. */
export interface Clock {
  now: Date;
  /** Its lead over the real time. */
  offsetMs: number;
}

/** A moved clock, for services with their own times. */
export interface MovedClock {
  clientId: string;
  offsetMs: number;
  movedAt: Date;
}

/** The automatic ends of a pending transaction. */
export const DUE_OUTCOMES = ['settle', 'fail'] as const;
export type DueOutcome = (typeof DUE_OUTCOMES)[number];

/** A pending transaction whose end is due. */
export interface Due {
  transactionId: string;
  accountId: string;
  outcome: DueOutcome;
  /** The time by the clock of its bank. */
  endsAt: Date;
}

/** Limits on the entries that a client makes through the sandbox's own routes. */
export const MAX_ENTRIES = { ofDay: 1_000, inAll: 10_000 };

/** Pending transactions of a simulated bank that may wait for their end at a time: they fit on a page of the V2 list. */
export const MAX_WAITING = 100;

/** Whether a transaction id is a UUID version 5, as those of synthetic transactions: callers must not use these. */
export function isReservedId(transactionId: string): boolean {
  return transactionId[14] === '5';
}
