import { randomUUID } from 'node:crypto';
import type { Method } from './operations.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { isRepeatable } from './retry.ts';
import { routeOf } from './route.ts';

type Value = string | number | boolean | undefined;

/** The options of any call. */
export interface UntypedOptions extends CallOptions {
  readonly path?: Readonly<Record<string, Value>>;
  readonly query?: Readonly<Record<string, Value>>;
  readonly body?: object;
}

/** A call as it is sent, apart from its token. */
export interface PreparedCall {
  readonly method: Method;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isRepeatable: boolean;
  readonly signal?: AbortSignal;
}

/** Writes a call: its address, path, query, headers and body. */
export function prepare(
  client: ClientOptions,
  method: Method,
  path: string,
  { path: values = {}, query = {}, requestId = randomUUID(), language, body, signal }: UntypedOptions,
): PreparedCall {
  const { address, isForm } = routeOf(path);
  const url = new URL(client[address].replace(/\/$/, '') + fillPath(path, values));
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value));
  const { clientId, clientSecret } = client;
  const credentials =
    isForm && clientSecret !== undefined && Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return {
    method,
    url,
    headers: {
      'x-request-id': requestId,
      ...(language !== undefined && { 'x-language': language }),
      ...(body && { 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' }),
      ...(credentials && { authorization: `Basic ${credentials}` }),
    },
    body:
      body &&
      (isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body)),
    isRepeatable: isRepeatable(method, path),
    signal,
  };
}

/** @throws TypeError for a value that would lead to another path */
function fillPath(path: string, values: Readonly<Record<string, Value>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name] ?? '');
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} is missing, or no id`);
    return encodeURIComponent(value);
  });
}
