/** Where a page of posted transactions ended. */
export interface Position {
  /** ISO 8601 UTC with milliseconds. */
  postingTime: string;
  /** UUID of the transaction. */
  id: string;
}

/** What a caller asks of the V2 list (§4.3); instants as ISO 8601 in UTC with milliseconds. */
export interface PageRequest {
  limit: number;
  from?: string | undefined;
  to?: string | undefined;
  cursor?: string | undefined;
}

/**
 * A transaction as PostgreSQL writes it: every value is its text. A page holds up to 500 of them, and what is
 * neither parsed nor built again is what makes it fast.
 */
export interface TransactionText {
  id: string;
  status: string;
  type: string;
  /** `2026-03-01 08:30:15.12+00` */
  transaction_time: string;
  posting_time: string | null;
  /** Minor units, as all amounts here. */
  billing_amount: string;
  transaction_amount: string | null;
  transaction_currency: string | null;
  balance_after: string | null;
  title: string;
  /** JSON object. */
  details: string;
}

export interface TransactionPage {
  /** Of the account. */
  currency: string;
  /** Status authorization, newest first. */
  pending: TransactionText[];
  /** Status financial, newest first; at most `rows`. */
  posted: TransactionText[];
}

/** PostgreSQL's text of a timestamptz(3) in a UTC session as ISO 8601: `2026-03-01 08:30:15.12+00` → `…T08:30:15.120Z`. */
export function isoInstant(text: string): string {
  const time = text.slice(11, -3);
  return `${text.slice(0, 10)}T${(time.length === 8 ? `${time}.` : time).padEnd(12, '0')}Z`;
}
