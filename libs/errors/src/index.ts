export { ApiError, type ApiErrorOptions, type ErrorDetail, toApiError } from './api-error.ts';
export { ERROR_CODES, type ErrorCode, errorCodeOf, type ErrorEntry } from './error-codes.ts';
