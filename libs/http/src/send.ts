import { channel } from 'node:diagnostics_channel';
import type { StepResponse } from './request-context.ts';

const answers = channel('kontoport.http.answer');

/**
 * Sends a body, and publishes the answer on the channel `kontoport.http.answer`: method, declared path (undefined when
 * no route matched), status, headers by lower-case name, body. Only tests subscribe.
 */
export function send(response: StepResponse, body: string | Uint8Array | undefined): void {
  // Express would add a charset to the media type of a string.
  response.send(typeof body === 'string' ? Buffer.from(body) : body);
  publishAnswer(response, body);
}

/** Publishes an answer whose headers are set. */
export function publishAnswer(response: StepResponse, body?: string | Uint8Array): void {
  if (!answers.hasSubscribers) return;
  const { req: request, statusCode: status, locals } = response;
  const path = locals.context.route?.path;
  answers.publish({ method: request.method, path, status, headers: { ...response.getHeaders() }, body });
}
