import { Metadata, type ServiceError, type status } from '@grpc/grpc-js';
import { ApiError, ERROR_CODES, toApiError } from '@kontoport/errors';
import { ERROR_TRAILER, readErrorTrailer, writeErrorTrailer } from './error-trailer.ts';
import { GRPC_TEXTS } from './texts.ts';

/** Characters of a status message, which is a header. The trailer has the whole text. */
const MAX_MESSAGE = 1_000;

/** Converts an error to a gRPC status, with the whole error in a trailer. */
export function toServiceError(error: unknown): Partial<ServiceError> & { code: status; metadata: Metadata } {
  const refusal = toApiError(error);
  const metadata = new Metadata();
  metadata.set(ERROR_TRAILER, writeErrorTrailer(refusal));
  // Half a surrogate pair cannot be encoded, and the call would get no answer.
  const message = refusal.message.slice(0, MAX_MESSAGE).toWellFormed();
  return { code: ERROR_CODES[refusal.code].grpc, details: message, message, metadata };
}

/**
 * Converts the error of a failed call to the error that the peer threw: code, status, texts, details and Retry-After. A
 * peer that is unreachable, too slow or broken is UNAVAILABLE, which callers may retry.
 */
export function fromServiceError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code, metadata } = error as Partial<ServiceError>;
  const trailer = metadata?.get(ERROR_TRAILER)[0];
  const thrown = trailer instanceof Uint8Array ? readErrorTrailer(Buffer.from(trailer), error) : undefined;
  if (thrown && thrown.code !== 'INTERNAL_ERROR') return thrown;
  if (code === undefined) return toApiError(error);
  return new ApiError('UNAVAILABLE', GRPC_TEXTS('peer-away'), { cause: error });
}
