import { ERROR_CODES, type ErrorCode, type ErrorEntry } from './error-codes.ts';
import type { Language, Text } from './text.ts';
import { ERROR_TEXTS } from './texts.ts';
import { isUnavailable } from './unavailable.ts';

/** A fault of the input: its place (`amount`, `draftIds.2`, `query.limit`) and its text. */
export interface ErrorDetail {
  path: string;
  text: Text;
}

/** Converts a detail to its wire format. */
export function detailToWire(detail: ErrorDetail, language: Language): { path: string; message: string } {
  return { path: detail.path, message: detail.text.in(language) };
}

/** Errors of RFC 6749 §4.1.2.1 and §5.2, RFC 9101 §6 and RFC 9396 §5. */
export const OAUTH_ERRORS = [
  'invalid_authorization_details',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'request_not_supported',
  'unsupported_grant_type',
  'unsupported_response_type',
] as const;

export type OAuthError = (typeof OAUTH_ERRORS)[number];

export interface ApiErrorOptions {
  /** A status that the table lists for the code besides its own. */
  status?: number;
  details?: readonly ErrorDetail[];
  /** Seconds; only for UNAVAILABLE and RATE_LIMITED. */
  retryAfterSeconds?: number;
  /** The scope that is missing; only for SCOPE_INSUFFICIENT. */
  scope?: string;
  /** The `error` of an OAuth answer, where it is finer than the errorCode. */
  oauthError?: OAuthError;
  /** For the log only; never leaves the service. */
  cause?: unknown;
}

/** A refusal with an errorCode of the table. `text` is for the TPP and carries no internals; `message` is its English form. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly text: Text;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterSeconds: number | undefined;
  readonly scope: string | undefined;
  readonly oauthError: ApiErrorOptions['oauthError'];

  constructor(code: ErrorCode, text: Text, options: ApiErrorOptions = {}) {
    super(text.in('en'), options.cause === undefined ? undefined : { cause: options.cause });
    const entry: ErrorEntry = ERROR_CODES[code];
    if (options.status !== undefined && options.status !== entry.status)
      if (!entry.otherStatuses?.includes(options.status))
        throw new TypeError(`${code} has no status ${options.status}`);
    this.code = code;
    this.status = options.status ?? entry.status;
    this.text = text;
    this.details = options.details ?? [];
    this.scope = options.scope;
    this.oauthError = options.oauthError;
    this.retryAfterSeconds =
      options.retryAfterSeconds ?? (code === 'UNAVAILABLE' || code === 'RATE_LIMITED' ? 1 : undefined);
  }

  /**
   * The message for a reader of `language`. Most messages exist in English alone; the translated sentence of the code comes
   * before those.
   */
  messageIn(language: Language): string {
    const translated = this.text.in(language);
    if (language === 'en' || translated !== this.message) return translated;
    return `${ERROR_CODES[this.code].cause[language]} ${this.message}`;
  }

  /** Returns the same refusal with another of its documented statuses, for routes whose clause requires it. */
  withStatus(status: number): ApiError {
    return new ApiError(this.code, this.text, {
      status,
      details: this.details,
      ...(this.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: this.retryAfterSeconds }),
      ...(this.scope === undefined ? {} : { scope: this.scope }),
      ...(this.oauthError === undefined ? {} : { oauthError: this.oauthError }),
      cause: this.cause,
    });
  }
}

/**
 * Converts any thrown value: an ApiError stays, an unreachable dependency becomes UNAVAILABLE, everything else
 * INTERNAL_ERROR, each with a fixed sentence. Only the log gets the detail.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isUnavailable(error)) return new ApiError('UNAVAILABLE', ERROR_TEXTS('away'), { cause: error });
  return new ApiError('INTERNAL_ERROR', ERROR_TEXTS('failed'), { cause: error });
}
