import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

const answers = channel('kontoport.http.answer');

/**
 * Tells whoever listens on the channel `kontoport.http.answer` what is answered: method, path as the route declares it
 * (undefined when no route took the request), status, headers by lower-case name, body. Tests listen; nobody else does.
 */
export function observeAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  path: string | undefined,
): void {
  if (!answers.hasSubscribers) return;
  const end = response.end.bind(response) as (body?: unknown, left?: () => void) => ServerResponse;
  const write = response.write.bind(response) as (body: unknown) => boolean;
  const writeHead = response.writeHead.bind(response) as (status: number, headers: unknown) => ServerResponse;
  let written: unknown;
  let head: OutgoingHttpHeaders = {};
  response.writeHead = (status: number, given: unknown = {}) => {
    head = given as OutgoingHttpHeaders;
    return writeHead(status, given);
  };
  response.write = (body: unknown) => {
    written = body;
    return write(body);
  };
  response.end = (body?: unknown, left?: unknown) => {
    const { statusCode: status } = response;
    const headers = { ...response.getHeaders(), ...head };
    answers.publish({ method: request.method, path, status, headers, body: body ?? written });
    return end(body, left as (() => void) | undefined);
  };
}
