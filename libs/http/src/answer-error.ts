import { deprecationHeaders } from './deprecation.ts';
import { discardRest, MAX_DISCARDED_BYTES } from './discard-rest.ts';
import { hasBody } from './read-body.ts';
import { type OutcomeDeps, recordOutcome } from './record-outcome.ts';
import { refusalReply } from './refusal-reply.ts';
import type { ErrorStep, StepRequest, StepResponse } from './request-context.ts';
import { publishAnswer, send } from './send.ts';
import { toRefusal } from './to-refusal.ts';

/** The one error middleware: answers every refusal and every fault in the form that the route or the address has. */
export function answerError(deps: OutcomeDeps): ErrorStep {
  return function answerError(error: unknown, request, response, _next) {
    const refusal = toRefusal(error);
    if (response.headersSent) response.destroy();
    else {
      const { requestId, language, errorForm: form, answerHeaders, route, shell } = response.locals.context;
      const { accept } = request.headers;
      const { status, headers, body } = refusalReply(refusal, {
        form,
        requestId,
        accept,
        language,
        shell,
      });
      forgetReply(response);
      response.status(status).set({ 'x-request-id': requestId, ...answerHeaders, ...headers });
      if (route?.deprecated) response.set(deprecationHeaders(route.deprecated, response.getHeader('link')));
      endRefused(request, response, body);
    }
    recordOutcome(request, response, { ...deps, refusal });
  };
}

/** Removes the headers of a reply that could not be written. */
function forgetReply(response: StepResponse): void {
  for (const name of response.getHeaderNames()) if (name !== 'connection') response.removeHeader(name);
}

/** Ends an answer. Drops the unread rest of the request, within bounds. */
function endRefused(request: StepRequest, response: StepResponse, body: string): void {
  const isWhole = request.complete || !hasBody(request);
  const isShort = Number(request.headers['content-length']) <= MAX_DISCARDED_BYTES;
  if (isWhole || isShort) {
    send(response, body);
    if (!isWhole) discardRest(request, () => request.complete || request.destroy());
    return;
  }
  // More of the request is on its way, so this connection cannot carry another one.
  response.set({ connection: 'close', 'content-length': String(Buffer.byteLength(body)) });
  publishAnswer(response, body);
  if (request.method === 'HEAD') response.flushHeaders();
  else response.write(body);
  discardRest(request, () => response.end());
}
