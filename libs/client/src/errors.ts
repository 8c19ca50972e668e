import type { Schemas } from './operations.ts';
import type { Answer } from './transport.ts';

const MAX_MESSAGE_LENGTH = 2_000;

/** An answer that refuses the call. Switch on `errorCode`. */
export class KontoportError extends Error {
  override readonly name = 'KontoportError';
  readonly status: number;
  /** One of the closed list of the interface, or the `error` of OAuth 2.0; undefined if a proxy answered. */
  readonly errorCode: string | undefined;
  /** Identifies the call in the bank's logs. */
  readonly requestId: string | undefined;
  /** The faulty parts of the request. */
  readonly details: NonNullable<Schemas['Error']['details']>;
  /** Address of the page with the cause and cure of the code. */
  readonly helpUrl: string | undefined;
  /** The wait that the answer asks for, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor({ status, headers, body }: Answer, { origin, retryAfterMs }: ErrorContext) {
    const { errorCode, message, requestId, details, error, error_description } = jsonObject(body);
    super(text(message) ?? text(error_description) ?? `${status} without an explanation`);
    this.status = status;
    this.errorCode = text(errorCode) ?? text(error);
    this.requestId = text(requestId) ?? text(headers['x-request-id']);
    this.details = Array.isArray(details) ? (details as typeof this.details) : [];
    this.helpUrl =
      typeof errorCode === 'string' ? `${origin}/errors/${encodeURIComponent(errorCode)}` : undefined;
    this.retryAfterMs = retryAfterMs;
  }
}

interface ErrorContext {
  /** The address that answered. */
  readonly origin: string;
  readonly retryAfterMs: number | undefined;
}

/** A call without an answer: no connection, a failed handshake, a timeout. `cause` is the error of Node.js. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(origin: string, cause: unknown) {
    super(`${origin} did not answer: ${cause instanceof Error ? cause.message : 'unknown fault'}`, { cause });
  }
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, MAX_MESSAGE_LENGTH) : undefined;

function jsonObject(body: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // A proxy in front of the bank may answer in HTML.
  }
}
