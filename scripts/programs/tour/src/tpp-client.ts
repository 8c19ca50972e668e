import { randomUUID } from 'node:crypto';
import { openTransport, type Answer as RawAnswer, type TlsIdentity } from '@kontoport/profile';

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

export interface Answer extends RawAnswer {
  text: string;
}

/** An HTTP client over TLS, with the identity of one caller; connections are kept. */
export interface TppClient {
  call(call: Call): Promise<Answer>;
  close(): Promise<void>;
}

/** Makes a client. A client certificate in the identity makes it mutual TLS. */
export function createTppClient(identity: TlsIdentity): TppClient {
  const transport = openTransport(identity);
  return {
    async call({ method, url, json, form, requestId = randomUUID(), authorization }) {
      const body = form
        ? new URLSearchParams(form).toString()
        : json === undefined
          ? undefined
          : JSON.stringify(json);
      const answer = await transport.send({
        method,
        url,
        headers: {
          accept: 'application/json',
          'x-request-id': requestId,
          ...(authorization !== undefined && { authorization }),
          ...(body !== undefined && {
            'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
          }),
        },
        ...(body !== undefined && { body }),
      });
      return { ...answer, text: answer.body.toString('utf8') };
    },
    close: () => transport.close(),
  };
}
