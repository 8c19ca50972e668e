import { ApiError, toApiError } from '@kontoport/errors';
import { HTTP_TEXTS } from './texts.ts';

export const MAX_BODY_BYTES = 64 * 1024;

/** The refusal for an error of a step, of the router or of Express's body parser, which names its errors by `type`. */
export function toRefusal(error: unknown): ApiError {
  if (error instanceof URIError) return new ApiError('FORMAT_ERROR', HTTP_TEXTS('path-invalid'));
  switch (error instanceof Error && 'type' in error ? error.type : undefined) {
    case 'entity.too.large':
      return bodyTooLarge();
    case 'encoding.unsupported':
      return new ApiError('FORMAT_ERROR', HTTP_TEXTS('compressed'), { status: 415 });
    case 'request.aborted':
    case 'request.size.invalid':
      return new ApiError('FORMAT_ERROR', HTTP_TEXTS('body-cut'), { cause: error });
    default:
      return toApiError(error);
  }
}

export function bodyTooLarge(): ApiError {
  return new ApiError(
    'PAYLOAD_TOO_LARGE',
    HTTP_TEXTS('body-too-large', { kilobytes: MAX_BODY_BYTES / 1024 }),
  );
}
