import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { ApiError, ERROR_CODES, errorCodeOf, toApiError } from '@kontoport/errors';

const CODE_KEY = 'error-code';

/** The error of the table as gRPC status; the errorCode itself travels in the trailers. */
export function toServiceError(error: unknown): Partial<ServiceError> & { code: status; metadata: Metadata } {
  const refusal = toApiError(error);
  const metadata = new Metadata();
  metadata.set(CODE_KEY, refusal.code);
  return {
    code: ERROR_CODES[refusal.code].grpc,
    details: refusal.message,
    message: refusal.message,
    metadata,
  };
}

/**
 * The error of the table that a failed call stands for. A peer that is away, too slow or broken is UNAVAILABLE:
 * the caller's caller may repeat.
 */
export function fromServiceError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code, details, metadata } = error as Partial<ServiceError>;
  const known = errorCodeOf(metadata?.get(CODE_KEY)[0]?.toString());
  if (known && known !== 'INTERNAL_ERROR') return new ApiError(known, details ?? ERROR_CODES[known].cause.en);
  if (code === undefined) return toApiError(error);
  return new ApiError('UNAVAILABLE', 'A part of the service does not respond; repeat the request later.', {
    cause: error,
  });
}
