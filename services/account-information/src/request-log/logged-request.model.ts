import type { ErrorCode } from '@kontoport/errors';

/** Requests that the log keeps of an organization (§Sandbox). */
export const MAX_KEPT = 1_000;

/** Requests of one call of `RecordRequests`. */
export const MAX_RECORDED = 500;

const MAX_AGE_MS = 30 * 86_400_000;

/** The time before which a request is too old for the log. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - MAX_AGE_MS);
}

/** The place of a request in the log: newest first, then by id. */
export interface LogPosition {
  at: Date;
  id: string;
}

/** An answered request as the log has it. */
export interface LoggedRequest extends LogPosition {
  requestId: string;
  /** null: neither a token nor credentials of a client were accepted. */
  clientId: string | null;
  method: string;
  route: string;
  status: number;
  milliseconds: number;
  /** null: the request was accepted. */
  errorCode: ErrorCode | null;
  message: string | null;
}

/** The filter of the requests, and their page. */
export interface LogRequest {
  /** The bounds of the status, inclusive. */
  status?: { from: number; to: number } | undefined;
  requestId?: string | undefined;
  clientId?: string | undefined;
  /** Of requests at or after it. */
  since?: Date | undefined;
  after?: LogPosition | undefined;
  limit: number;
}

/** A page, and the position after which the next one begins. */
export interface LogPage {
  requests: LoggedRequest[];
  next: LogPosition | undefined;
}
