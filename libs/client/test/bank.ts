import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { tlsFolder } from '@kontoport/testing/tls';
import type { ClientOptions } from '../src/index.ts';

/** A request as the server got it. */
export interface Received {
  method: string;
  url: string;
  requestId: unknown;
  language: unknown;
  authorization: unknown;
  body: string;
}

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

/** An answer with a JSON body. */
export const json =
  (status: number, body: object, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** An HTTPS server that requires a client certificate and answers as the test says. */
export async function startBank() {
  const tls = await tlsFolder();
  const [server, client] = [
    await tls.issue('bank', { server: ['localhost'] }),
    await tls.issue('tpp', 'client'),
  ];
  const received: Received[] = [];
  const replies: Reply[] = [];
  const tokenReplies: Reply[] = [];
  let tokens = 0;
  const https: Server = createServer(
    {
      cert: readFileSync(server.cert),
      key: readFileSync(server.key),
      ca: readFileSync(tls.ca),
      requestCert: true,
      rejectUnauthorized: true,
    },
    (request, response) => {
      void text(request).then((body) => {
        const { method, url, headers } = request;
        const { authorization } = headers;
        received.push({
          method: method!,
          url: url!,
          requestId: headers['x-request-id'],
          language: headers['x-language'],
          authorization,
          body,
        });
        const isToken = url === '/oauth2/token';
        const grant = {
          access_token: `token-${isToken && ++tokens}`,
          token_type: 'Bearer',
          expires_in: 3_600,
        };
        const reply = isToken
          ? (tokenReplies.shift() ?? json(200, grant))
          : (replies.shift() ?? json(404, {}));
        reply(response, request);
      });
    },
  );
  https.listen(0, '127.0.0.1');
  await once(https, 'listening');
  const url = `https://localhost:${(https.address() as AddressInfo).port}`;
  const options: ClientOptions = {
    baseUrl: url,
    registrationUrl: url,
    authUrl: url,
    cert: readFileSync(client.cert),
    key: readFileSync(client.key),
    ca: readFileSync(tls.ca),
    clientId: 'a-client',
    clientSecret: 'a-secret',
  };
  return {
    options,
    /** Calls without those of tokens, oldest first. */
    calls: (): Received[] => received.filter((each) => each.url !== '/oauth2/token'),
    tokenCalls: (): Received[] => received.filter((each) => each.url === '/oauth2/token'),
    /** Plans the answers of the next calls. */
    answer(...next: Reply[]): void {
      replies.push(...next);
    },
    /** Plans the answer of the next request for a token. */
    answerToken(reply: Reply): void {
      tokenReplies.push(reply);
    },
    reset(): void {
      received.length = 0;
      replies.length = 0;
      tokens = 0;
    },
    async close(): Promise<void> {
      https.closeAllConnections();
      https.close();
      await once(https, 'close');
      tls.remove();
    },
  };
}
