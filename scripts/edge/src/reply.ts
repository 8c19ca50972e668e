import type { ServerResponse } from 'node:http';

/** What the edge itself may answer; everything else comes from the services. */
export interface EdgeRefusal {
  status: number;
  errorCode: 'ROUTE_UNKNOWN' | 'UNAVAILABLE' | 'FORMAT_ERROR' | 'CERTIFICATE_INVALID';
  message: string;
}

export const REFUSALS = {
  routeUnknown: { status: 404, errorCode: 'ROUTE_UNKNOWN', message: 'No route has this path.' },
  chainTooLarge: {
    status: 401,
    errorCode: 'CERTIFICATE_INVALID',
    message: 'The presented certificate chain is too large.',
  },
  unreachable: {
    status: 503,
    errorCode: 'UNAVAILABLE',
    message: 'The service is not reachable at the moment.',
  },
  broken: {
    status: 502,
    errorCode: 'UNAVAILABLE',
    message: 'The service ended the connection without an answer.',
  },
  late: { status: 504, errorCode: 'UNAVAILABLE', message: 'The service did not answer in time.' },
  malformed: { status: 400, errorCode: 'FORMAT_ERROR', message: 'The request is not valid HTTP.' },
  headersTooLarge: { status: 431, errorCode: 'FORMAT_ERROR', message: 'The headers are too large.' },
  slow: { status: 408, errorCode: 'FORMAT_ERROR', message: 'The request did not arrive in time.' },
} as const satisfies Record<string, EdgeRefusal>;

const RETRY_AFTER_SECONDS = '1';

/** Header fields and body of a refusal, in the error shape of the interface. */
export function refusalParts(
  refusal: EdgeRefusal,
  requestId: string,
): { headers: Record<string, string>; body: string } {
  const { errorCode, message } = refusal;
  const body = JSON.stringify({ errorCode, message, requestId });
  return {
    body,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      ...(errorCode === 'UNAVAILABLE' ? { 'Retry-After': RETRY_AFTER_SECONDS } : {}),
    },
  };
}

/** Sends a refusal; once an answer has begun, only cutting it off tells the client the truth. */
export function refuse(response: ServerResponse, refusal: EdgeRefusal, requestId: string): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { headers, body } = refusalParts(refusal, requestId);
  // What is left of an unread body is not worth reading: the connection ends with the answer.
  if (!response.req.complete) response.setHeader('Connection', 'close');
  response.writeHead(refusal.status, headers).end(response.req.method === 'HEAD' ? undefined : body);
}
