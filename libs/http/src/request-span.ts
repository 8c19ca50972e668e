import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '@kontoport/errors';
import { endServerSpan } from '@kontoport/runtime';
import { methodLabel } from './request-metrics.ts';

/**
 * Ends the span of an answered request.
 * @param answered.path where it answers, as its route declares it, prefix included; undefined when no route took the request:
 *   no template stands for the path then, and none is told
 */
export function endRequestSpan(
  request: IncomingMessage,
  answered: { path: string | undefined; status: number; errorCode: ErrorCode | undefined },
): void {
  endServerSpan(() => {
    const { path, status, errorCode } = answered;
    const method = methodLabel(request.method!);
    const name = method === '_OTHER' ? 'HTTP' : method;
    return {
      name: path === undefined ? name : `${name} ${path}`,
      attributes: {
        'http.request.method': method,
        'url.scheme': 'encrypted' in request.socket ? 'https' : 'http',
        'http.response.status_code': status,
        ...(path === undefined ? {} : { 'http.route': path, 'url.path': path }),
        ...(errorCode === undefined ? {} : { 'error.type': errorCode }),
      },
      isError: status >= 500,
    };
  });
}
