import { ApiError } from '@kontoport/errors';
import { headerValues, type RawHeaders } from './header-values.ts';
import { HTTP_TEXTS } from './texts.ts';

/** Node takes the first of several, another server on the way perhaps the last. */
const ONCE = ['Authorization', 'Host'].map((header) => ({ header, name: header.toLowerCase() }));

/** @throws ApiError 400 when a header that decides who is asked, or who asks, stands more than once (RFC 9112 §3.2). */
export function refuseDoubled(request: RawHeaders): void {
  for (const { header, name } of ONCE)
    if (headerValues(request, name).length > 1)
      throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('header-doubled', { header }));
}
