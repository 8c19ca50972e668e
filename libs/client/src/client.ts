import { once } from 'node:events';
import { KontoportError } from './errors.ts';
import type { Method, OptionsOf, PagedPath, PathOf, ResultOf } from './operations.ts';
import { type CallOptions, type ClientOptions } from './options.ts';
import { prepare, type UntypedOptions } from './prepare.ts';
import { routeOf } from './route.ts';
import { createSender } from './send.ts';
import { createTokenSource, type GrantedToken } from './token-source.ts';
import type { Answer } from './transport.ts';

type Arguments<M extends Method, Path extends PathOf<M>> =
  object extends OptionsOf<M, Path>
    ? [options?: OptionsOf<M, Path> & CallOptions]
    : [options: OptionsOf<M, Path> & CallOptions];

type Call<M extends Method> = <Path extends PathOf<M>>(
  path: Path,
  ...options: Arguments<M, Path>
) => Promise<ResultOf<M, Path>>;

/**
 * Calls the operations of all three addresses, by their paths in the OpenAPI documents. Every call throws `KontoportError` for an
 * answer that refuses it, and `ConnectionError` without an answer.
 */
export interface KontoportClient {
  readonly get: Call<'get'>;
  readonly post: Call<'post'>;
  readonly put: Call<'put'>;
  readonly patch: Call<'patch'>;
  readonly delete: Call<'delete'>;
  /** Reads a list page by page, each page when it is needed; stop by leaving the loop. */
  paginate<Path extends PagedPath>(
    path: Path,
    ...options: Arguments<'get', Path>
  ): AsyncGenerator<ResultOf<'get', Path>, void, undefined>;
  /** Closes the idle connections. */
  close(): void;
}

/** Makes a client. It opens connections when they are needed. */
export function createClient(options: ClientOptions): KontoportClient {
  const { send, close } = createSender(options);
  const tokens = createTokenSource(grantToken);

  async function grantToken(): Promise<GrantedToken> {
    const { clientId, clientSecret, scope } = options;
    if (clientId === undefined) throw new TypeError('this call needs a clientId: register first');
    const body = {
      grant_type: 'client_credentials',
      ...(scope && { scope }),
      ...(clientSecret === undefined && { client_id: clientId }),
    };
    const call = prepare(options, 'post', '/oauth2/token', { body });
    return JSON.parse((await send({ ...call, isRepeatable: true })).body.toString()) as GrantedToken;
  }

  async function call(method: Method, path: string, given: UntypedOptions = {}): Promise<unknown> {
    const prepared = prepare(options, method, path, given);
    const { needsToken } = routeOf(path);
    if (!needsToken) return contentOf(await send(prepared));
    const withToken = (token: string): Promise<Answer> =>
      send({ ...prepared, headers: { ...prepared.headers, authorization: `Bearer ${token}` } });
    if (given.token !== undefined) return contentOf(await withToken(given.token));
    const token = await untilAborted(tokens.get(), given.signal);
    try {
      return contentOf(await withToken(token));
    } catch (error) {
      if (!(error instanceof KontoportError && error.errorCode?.startsWith('TOKEN_'))) throw error;
      tokens.drop(token);
      return contentOf(await withToken(await untilAborted(tokens.get(), given.signal)));
    }
  }

  async function* paginate(
    path: string,
    given: UntypedOptions = {},
  ): AsyncGenerator<unknown, void, undefined> {
    let cursor = given.query?.['cursor'];
    for (;;) {
      const page = (await call('get', path, { ...given, query: { ...given.query, cursor } })) as {
        nextCursor?: string;
      };
      yield page;
      if (page.nextCursor === undefined) return;
      if (page.nextCursor === cursor) throw new Error('the bank repeats a cursor');
      cursor = page.nextCursor;
    }
  }

  const bound =
    (method: Method) =>
    (path: string, given?: UntypedOptions): Promise<unknown> =>
      call(method, path, given);
  return {
    get: bound('get'),
    post: bound('post'),
    put: bound('put'),
    patch: bound('patch'),
    delete: bound('delete'),
    paginate,
    close,
  } as KontoportClient;
}

function contentOf({ headers, body }: Answer): unknown {
  if (body.length === 0) return undefined;
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/json')) return JSON.parse(body.toString());
  return type.startsWith('text/') ? body.toString() : new Uint8Array(body);
}

/** Waits for work that several callers share. An abort ends this wait, not the work. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  const done = new AbortController();
  const aborted = once(signal, 'abort', { signal: done.signal }).then(() => {
    throw signal.reason;
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    done.abort();
  }
}
