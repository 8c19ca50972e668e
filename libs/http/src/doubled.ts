import type { IncomingMessage } from 'node:http';
import { ApiError } from '@kontoport/errors';
import { HTTP_TEXTS } from './texts.ts';

/** Node takes the first of several, another server on the way perhaps the last. */
const ONCE = ['Authorization', 'Host'];

/** @throws ApiError 400 when a header that decides who is asked, or who asks, stands more than once (RFC 9112 §3.2). */
export function refuseDoubled({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): void {
  for (const header of ONCE)
    if ((headersDistinct[header.toLowerCase()]?.length ?? 0) > 1)
      throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('header-doubled', { header }));
}
