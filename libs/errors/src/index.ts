export {
  ApiError,
  detailToWire,
  type ErrorDetail,
  OAUTH_ERRORS,
  type OAuthError,
  toApiError,
} from './api-error.ts';
export { ERROR_CODES, type ErrorCode, errorCodeOf, type ErrorEntry } from './error-codes.ts';
export {
  defineTexts,
  fault,
  type Language,
  LANGUAGES,
  placeholdersOf,
  rule,
  ruleOf,
  type StoredText,
  type Template,
  type Text,
  writtenText,
} from './text.ts';
export { oauthDescription } from './oauth-description.ts';
export { normalized, readableFault, toReadable } from './readable-text.ts';
export { ERROR_TEXTS } from './texts.ts';
export { isUnavailable } from './unavailable.ts';
