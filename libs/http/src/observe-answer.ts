import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

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
  const end = response.end.bind(response) as (body?: unknown) => ServerResponse;
  const write = response.write.bind(response) as (body: unknown) => boolean;
  let written: unknown;
  response.write = (body: unknown) => {
    written = body;
    return write(body);
  };
  response.end = (body?: unknown) => {
    const { statusCode: status } = response;
    const headers = response.getHeaders();
    answers.publish({ method: request.method, path, status, headers, body: body ?? written });
    return end(body);
  };
}
