import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';

/** The provider's TLS identity: its chain (leaf first) and key as PEM, and the CA that it trusts. */
export interface TlsIdentity {
  cert?: string;
  key?: string;
  ca: string;
}

export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  url: string;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as application/x-www-form-urlencoded. */
  form?: Record<string, string>;
  /** X-Request-Id; default: one of its own. */
  requestId?: string;
  /** The whole value of the Authorization header. */
  authorization?: string;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  milliseconds: number;
}

/** An HTTP client over TLS, with the identity of one caller; connections are kept. */
export interface TppClient {
  call(call: Call): Promise<Answer>;
  close(): void;
}

const LIMIT_MS = 30_000;

/** A client certificate in the identity makes it mutual TLS. */
export function createTppClient(identity: TlsIdentity): TppClient {
  const agent = new Agent({ ...identity, keepAlive: true, maxSockets: 4 });
  return {
    async call({ method, url, json, form, requestId = randomUUID(), authorization }) {
      const body = form
        ? new URLSearchParams(form).toString()
        : json === undefined
          ? undefined
          : JSON.stringify(json);
      const started = performance.now();
      const outgoing = httpsRequest(url, {
        method,
        agent,
        signal: AbortSignal.timeout(LIMIT_MS),
        headers: {
          accept: 'application/json',
          'x-request-id': requestId,
          ...(authorization === undefined ? {} : { authorization }),
          ...(body === undefined
            ? {}
            : {
                'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
                'content-length': Buffer.byteLength(body),
              }),
        },
      });
      outgoing.end(body);
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      return {
        status: incoming.statusCode ?? 0,
        headers: incoming.headers,
        text: await text(incoming),
        milliseconds: Math.round(performance.now() - started),
      };
    },
    close: () => agent.destroy(),
  };
}
