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
  response.end = (body?: unknown) => {
    const { statusCode: status } = response;
    answers.publish({ method: request.method, path, status, headers: response.getHeaders(), body });
    return end(body);
  };
}
