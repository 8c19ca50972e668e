import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Language } from '@kontoport/errors';
import { Shell } from '@kontoport/pages';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { languageOf } from './language.ts';
import type { ErrorForm } from './page.ts';
import { requestIdOf } from './request-id.ts';
import type { AnswerHeaders, Caller, CallerIdentity, Route, RouteRequest } from './route.ts';

/** The reason of an abort. All requests share it, because a DOMException costs more than the abort itself. */
const GONE = new DOMException('The caller is gone.', 'AbortError');

const PLAIN = new Shell();

/**
 * Everything that the steps know of a request, for the handler. It is a class because an object literal with accessors
 * doubles the time of a token request.
 */
export class RequestContext implements RouteRequest<unknown, unknown, unknown, unknown, unknown> {
  readonly now = new Date();
  /** Milliseconds of the monotonic clock. */
  readonly started = performance.now();
  readonly requestId: string;
  readonly givenRequestId: string | undefined;
  /** The caller sent an unusable `X-Request-Id`. */
  readonly isRequestIdBad: boolean;
  readonly language: Language;
  /** Headers of the answer, of a refusal too. */
  readonly answerHeaders: AnswerHeaders = {};
  /** The form of a refusal. */
  errorForm: ErrorForm | undefined;
  /** Renders pages. */
  readonly shell: Shell;
  /** The route of the request; undefined until one matches. */
  route: Route | undefined = undefined;
  /** The declared path of the route, with its prefix. */
  path: string | undefined = undefined;
  caller: Caller | undefined = undefined;
  readonly identity: CallerIdentity = {};
  /** Whether the caller requested a fault. */
  isSimulated = false;
  params: unknown = {};
  resource: unknown = undefined;
  query: unknown = undefined;
  body: unknown = undefined;
  readonly #request: IncomingMessage;
  readonly #response: Response;
  #signal: AbortSignal | undefined = undefined;

  constructor(
    request: IncomingMessage,
    response: Response,
    { errorForm, shell = PLAIN }: { errorForm?: ErrorForm | undefined; shell?: Shell | undefined } = {},
  ) {
    const { requestId, givenRequestId, badRequestId } = requestIdOf(request);
    this.requestId = requestId;
    this.givenRequestId = givenRequestId;
    this.isRequestIdBad = badRequestId;
    this.language = languageOf(request);
    this.errorForm = errorForm;
    this.shell = shell;
    this.#request = request;
    this.#response = response;
  }

  get principal(): unknown {
    return this.caller?.principal;
  }

  get authorization(): string | undefined {
    return this.#request.headers.authorization;
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  /** Aborted when the caller disconnects before the whole answer is sent. */
  get signal(): AbortSignal {
    return (this.#signal ??= goneSignal(this.#response));
  }
}

function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  const abort = (): void => {
    if (!response.writableFinished) gone.abort(GONE);
  };
  if (response.destroyed) abort();
  else response.on('close', abort);
  return gone.signal;
}

type Locals = { context: RequestContext };

/** The request of a step. No step reads a path or body that Express parsed. */
export type StepRequest = Request<Record<string, string>, unknown, unknown, unknown, Locals>;
/** A response as the steps get it: `locals.context` is the context of the request. */
export type StepResponse = Response<unknown, Locals>;
/** One step of the answer to a request. */
export type Step = RequestHandler<Record<string, string>, unknown, unknown, unknown, Locals>;
/** A step that runs after an error. */
export type ErrorStep = ErrorRequestHandler<Record<string, string>, unknown, unknown, unknown, Locals>;
