import { ApiError } from '@kontoport/errors';
import { HTTP_TEXTS } from './texts.ts';

/** The refusal of an unknown path. `address` is the address that has it. */
export function routeUnknown(address: string | undefined): ApiError {
  return new ApiError(
    'ROUTE_UNKNOWN',
    address === undefined ? HTTP_TEXTS('no-route') : HTTP_TEXTS('answered-elsewhere', { address }),
  );
}
