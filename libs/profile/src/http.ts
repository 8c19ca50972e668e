import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'undici';

const MAX_SILENCE_MS = 30_000;

/** A request of the TPP; the URL is absolute. */
export interface Call {
  method: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** The answer of the bank. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  milliseconds: number;
}

/** The certification authority that the TPP trusts, and its own certificate chain (leaf first) and key. */
export interface TlsIdentity {
  ca: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
}

/** Sends requests over TLS. */
export interface Transport {
  send(call: Call): Promise<Answer>;
  close(): Promise<void>;
}

/** Opens connections; `cert` and `key` make them mutual TLS. All three are PEM. */
export function openTransport(identity: TlsIdentity): Transport {
  const dispatcher = new Agent({
    headersTimeout: MAX_SILENCE_MS,
    bodyTimeout: MAX_SILENCE_MS,
    connect: { ...identity },
  });
  return {
    async send({ url, ...call }) {
      const started = performance.now();
      const { statusCode, headers, body } = await request(url, { ...call, dispatcher });
      return {
        status: statusCode,
        headers,
        body: Buffer.from(await body.arrayBuffer()),
        milliseconds: Math.round(performance.now() - started),
      };
    },
    close: () => dispatcher.close(),
  };
}

/** The object of a JSON answer; empty for any other body. */
export function jsonOf({ body }: Answer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
