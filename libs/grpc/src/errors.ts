import { Metadata, type ServiceError, type status } from '@grpc/grpc-js';
import { ApiError, ERROR_CODES, toApiError } from '@kontoport/errors';
import { ERROR_TRAILER, readErrorTrailer, writeErrorTrailer } from './error-trailer.ts';
import { GRPC_TEXTS } from './texts.ts';

/** A status message stands among the headers; what is longer is whole in the trailer. */
const MAX_MESSAGE = 1_000;

/** The error of the table as gRPC status; the error itself, whole, travels in a trailer. */
export function toServiceError(error: unknown): Partial<ServiceError> & { code: status; metadata: Metadata } {
  const refusal = toApiError(error);
  const metadata = new Metadata();
  metadata.set(ERROR_TRAILER, writeErrorTrailer(refusal));
  // Half a surrogate pair, of a text or of the cut, cannot be encoded: the call would never be answered.
  const message = refusal.message.slice(0, MAX_MESSAGE).toWellFormed();
  return { code: ERROR_CODES[refusal.code].grpc, details: message, message, metadata };
}

/**
 * The error that a failed call stands for, as the peer threw it: code, status, texts, details and Retry-After. A peer
 * that is away, too slow or broken is UNAVAILABLE: the caller's caller may repeat.
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
