import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Language } from '@kontoport/errors';
import { headerOf } from './header-values.ts';
import type { RequestId } from './request-id.ts';
import type { Caller, RouteRequest } from './route.ts';

/** Why a handler is to stop; one for all requests, because making one costs more than the rest of the abort. */
const GONE = new DOMException('The caller is gone.', 'AbortError');

/** What is known of a request before any of it is checked. */
export interface Opening extends RequestId {
  language: Language;
}

/**
 * A request as its route gets it; each step adds what it has read. Of a class, since Node takes longer to make an object with
 * accessors than to read a body.
 */
export class Asked implements RouteRequest<unknown, unknown, unknown, unknown, unknown> {
  readonly proven: unknown;
  readonly now: Date;
  readonly authorization: string | undefined;
  readonly requestId: string;
  readonly givenRequestId: string | undefined;
  readonly language: Language;
  params: unknown = undefined;
  resource: unknown = undefined;
  query: unknown = undefined;
  body: unknown = undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #signal: AbortSignal | undefined = undefined;

  constructor(of: {
    request: IncomingMessage;
    response: ServerResponse;
    opening: Opening;
    caller: Caller;
    now: Date;
  }) {
    const { request, response, opening, caller, now } = of;
    this.proven = caller.proven;
    this.now = now;
    this.authorization = headerOf(request, 'authorization');
    this.requestId = opening.requestId;
    this.givenRequestId = opening.givenRequestId;
    this.language = opening.language;
    this.#request = request;
    this.#response = response;
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  /** Most requests are answered without anybody who listens. */
  get signal(): AbortSignal {
    return (this.#signal ??= goneSignal(this.#response));
  }
}

/** Aborted when the caller goes away before its whole answer has left, or has gone already. */
function goneSignal(response: ServerResponse): AbortSignal {
  const away = new AbortController();
  const leave = (): void => {
    if (!response.writableFinished) away.abort(GONE);
  };
  if (response.destroyed) leave();
  else response.on('close', leave);
  return away.signal;
}
