import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

/** The same for an account that does not exist and for one that is not the caller's. */
export function unknownAccount(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('account-unknown'));
}
