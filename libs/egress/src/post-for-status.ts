import type { Dispatcher } from 'undici';
import { EgressForbidden, type GuardedAgent, isConnectTimeout } from './guarded-agent.ts';

export interface PostForStatus {
  /** Scheme, host and port, as `URL.origin` has them. */
  origin: string;
  /** With the query. */
  path: string;
  /** Names and values in turn. */
  headers: string[];
  body: Uint8Array;
  /** Of a longer answer no more is read: the connection is given up instead. */
  maxBytes: number;
  /** So many bytes of an answer that is no 2xx are handed back. */
  excerptBytes: number;
  /** Milliseconds for everything: name, connection, request, answer. */
  timeLimit: number;
}

/** The final status, its headers and, where it is no 2xx, how its body begins; or no answer in time, no permission to connect, no connection or no HTTP. */
export type StatusOrFault =
  | { status: number; retryAfter: string | string[] | undefined; excerpt: Buffer }
  | { fault: 'timeout' | 'forbidden' | 'unreachable' };

/**
 * Makes one POST of which only the status matters: the rest of the answer is read to keep the connection, and, but for the
 * beginning of a refusal, lost without harm. Redirects are not followed. Never rejects. It does without streams and signals, which cost as much as
 * the rest of a request.
 */
export function postForStatus(agent: GuardedAgent, request: PostForStatus): Promise<StatusOrFault> {
  return new Promise((resolve) => {
    const { origin, path, headers, body } = request;
    agent.dispatch(
      { origin, path, method: 'POST', headers, body, headersTimeout: 0, bodyTimeout: 0 },
      new Exchange(request, { resolve, ended: agent.begin(origin) }),
    );
  });
}

/** Answers of 1xx to one request: each costs this process more than the receiver, and the limit of time is long. */
const MOST_INTERIM = 20;

class GivenUp extends Error {
  override readonly name = 'GivenUp';
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number;
  readonly #excerptBytes: number;
  readonly #timer: NodeJS.Timeout;
  readonly #ended: () => void;
  #resolve: ((result: StatusOrFault) => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: { status: number; retryAfter: string | string[] | undefined } | undefined;
  #bytes = 0;
  #excerpt: Uint8Array[] = [];
  #interim = 0;

  constructor(
    request: PostForStatus,
    { resolve, ended }: { resolve: (result: StatusOrFault) => void; ended: () => void },
  ) {
    this.#ended = ended;
    this.#maxBytes = request.maxBytes;
    this.#excerptBytes = request.excerptBytes;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => {
      this.#end({ fault: 'timeout' });
      this.#controller?.abort(new GivenUp());
    }, request.timeLimit);
  }

  /** Its connection may have come too late: then nothing is sent over it. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#resolve === undefined) controller.abort(new GivenUp());
    else this.#controller = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status >= 200) this.#answer = { status, retryAfter: headers['retry-after'] };
    else if (++this.#interim > MOST_INTERIM) controller.abort(new GivenUp());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    const left = this.#excerptBytes - this.#bytes;
    // A copy: the chunk belongs to the connection.
    if (left > 0 && !this.#isAccepted) this.#excerpt.push(Uint8Array.from(chunk.subarray(0, left)));
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) controller.abort(new GivenUp());
  }

  onResponseEnd(): void {
    this.#end({ fault: 'unreachable' });
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (error instanceof EgressForbidden) this.#end({ fault: 'forbidden' });
    else this.#end({ fault: isConnectTimeout(error) ? 'timeout' : 'unreachable' });
  }

  get #isAccepted(): boolean {
    return this.#answer !== undefined && this.#answer.status < 300;
  }

  /** A status that came decides, however the rest went. */
  #end(otherwise: StatusOrFault): void {
    if (this.#resolve === undefined) return;
    clearTimeout(this.#timer);
    this.#ended();
    const answer = this.#answer && { ...this.#answer, excerpt: Buffer.concat(this.#excerpt) };
    this.#resolve(answer ?? otherwise);
    this.#resolve = undefined;
  }
}
