import { ApiError } from '@kontoport/errors';
import { headerValues } from './header-values.ts';
import type { Step } from './request-context.ts';
import { HTTP_TEXTS } from './texts.ts';

/** Node reads the first of several. Another server on the way may read the last (RFC 9112 §3.2). */
const SINGLE = ['Authorization', 'Host'];

/** Rejects duplicates of the headers that name the host or the caller (§4). */
export const rejectDuplicateHeaders: Step = function rejectDuplicateHeaders(request, _response, next) {
  for (const header of SINGLE)
    if (headerValues(request, header.toLowerCase()).length > 1)
      throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('header-doubled', { header }));
  next();
};
