import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mintQwac, readIssuer } from '@kontoport/issuing';
import { Agent, fetch as fetchBy } from 'undici';
import type { StackFile } from '../src/stack-file.ts';

/** Of PKCE. */
const VERIFIER = 'a-verifier-that-is-as-long-as-one-has-to-be';

/** A registered TPP with a website, to which the browser comes back. */
export interface TppApp {
  clientId: string;
  /** Of the website; what it is asked for beside the callback stands under `pages`. */
  origin: string;
  /** HTML by path. */
  pages: Map<string, string>;
  /** What came to the redirect URI, oldest first. */
  callbacks: URLSearchParams[];
  /** Where the browser begins; `more` replaces parameters. */
  authorizeUrl(more?: Record<string, string>): string;
  /** Calls an operation, over its certificate; with the token of `redeem` once there is one. */
  call(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  /** Trades in the code that came to the redirect URI. */
  redeem(code: string): Promise<void>;
  /** With a query, where an approval leads back to. */
  redirectUri: string;
  close(): Promise<void>;
}

/** Registers it, under a name of its own, with a website whose callback leads on to another page of the TPP's. */
export async function openTppApp(
  stack: StackFile,
  name: string,
  /** Of a website that is elsewhere: production takes https alone. */
  elsewhere?: string,
): Promise<TppApp> {
  const pages = new Map<string, string>([['/welcome', '<!doctype html><title>Back</title>']]);
  const callbacks: URLSearchParams[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://tpp');
    if (pathname === '/callback') {
      callbacks.push(searchParams);
      // To another origin, as TPPs do.
      response.writeHead(302, { location: `http://localhost:${port()}/welcome` }).end();
      return;
    }
    const html = pages.get(pathname);
    response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(html);
  });
  const port = (): number => (server.address() as AddressInfo).port;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const redirectUri = elsewhere ?? `http://127.0.0.1:${port()}/callback`;
  const { clientId, clientSecret, dispatcher } = await register(stack, { name, redirectUri });
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  let authorization = '';
  return {
    clientId,
    origin: `http://127.0.0.1:${port()}`,
    pages,
    callbacks,
    authorizeUrl: (more = {}) => {
      const parameters = new URLSearchParams({
        client_id: clientId,
        response_type: 'code',
        redirect_uri: redirectUri,
        state: 'a state',
        code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
        code_challenge_method: 'S256',
        ...more,
      });
      return `${stack.userUrl}/oauth2/authorize?${parameters.toString()}`;
    },
    redirectUri,
    async call(method, path, body) {
      const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
      const sent = { method, headers, dispatcher, ...(body && { body: JSON.stringify(body) }) };
      const answer = await fetchBy(stack.baseUrl + path, sent);
      const text = await answer.text();
      const said = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(said)}`);
      return said;
    },
    async redeem(code) {
      const form = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: VERIFIER,
      };
      const answer = await fetchBy(`${stack.authUrl}/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${basic}` },
        body: new URLSearchParams(form),
        dispatcher,
      });
      const { access_token: token } = (await answer.json()) as { access_token?: string };
      if (token === undefined) throw new Error(`no token: ${answer.status}`);
      authorization = `Bearer ${token}`;
    },
    async close() {
      await dispatcher.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function register(
  stack: StackFile,
  { name, redirectUri }: { name: string; redirectUri: string },
): Promise<{ clientId: string; clientSecret: string; dispatcher: Agent }> {
  const roles = ['PSP_AI', 'PSP_PI'] as const;
  const organizationIdentifier = `PSDDK-DFSA-${randomBytes(4).toString('hex')}`;
  const { chainPem: cert, keyPem: key } = await mintQwac({
    request: { name, organizationIdentifier, roles, days: 1 },
    issuer: await readIssuer(stack.issuingCa),
    at: new Date(),
  });
  const dispatcher = new Agent({ connect: { ca: readFileSync(stack.serverCa, 'utf8'), cert, key } });
  const answer = await fetchBy(`${stack.registrationUrl}/tpp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, roles, redirectUris: [redirectUri] }),
    dispatcher,
  });
  const client = (await answer.json()) as { clientId: string; clientSecret: string };
  return { ...client, dispatcher };
}
