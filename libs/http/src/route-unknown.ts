import { ApiError } from '@kontoport/errors';
import { HTTP_TEXTS } from './texts.ts';

/** For a path that is none here; `address` answers it. */
export function routeUnknown(address: string | undefined): ApiError {
  return new ApiError(
    'ROUTE_UNKNOWN',
    address === undefined ? HTTP_TEXTS('no-route') : HTTP_TEXTS('answered-elsewhere', { address }),
  );
}
