import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { mintQwac, type Qwac, readIssuer } from '@kontoport/issuing';
import { Agent, fetch as fetchBy } from 'undici';
import type { StackFile } from '../src/stack-file.ts';

/** The code verifier of PKCE. */
const VERIFIER = 'a-verifier-that-is-as-long-as-one-has-to-be';
const ROLES = ['PSP_AI', 'PSP_PI'] as const;

/** A token response. */
export interface Tokens {
  access_token: string;
  refresh_token: string;
  authorization_details: { consentId: string }[];
}

/** A webhook as it came. */
export interface Webhook {
  body: string;
  signature: unknown;
}

/** A registered TPP with a website, to which the browser comes back. */
export type TppApp = Awaited<ReturnType<typeof openTppApp>>;

/** Calls over mutual TLS, or over TLS without a certificate. */
export function transportOf(stack: Pick<StackFile, 'serverCa'>, qwac?: Pick<Qwac, 'chainPem' | 'keyPem'>) {
  const ca = readFileSync(stack.serverCa, 'utf8');
  const dispatcher = new Agent({ connect: { ca, ...(qwac && { cert: qwac.chainPem, key: qwac.keyPem }) } });
  const call = (url: string | URL, init: object = {}) => fetchBy(url, { ...init, dispatcher });
  return { fetch: call as unknown as typeof fetch, close: () => dispatcher.close() };
}

/** POST /tpp with a certificate, or without one. */
export async function register(
  stack: Pick<StackFile, 'serverCa' | 'registrationUrl'>,
  qwac?: Pick<Qwac, 'chainPem' | 'keyPem'>,
  { name = 'TPP', redirectUri = 'https://tpp.example/callback' } = {},
): Promise<{ status: number; clientId?: string; clientSecret?: string; errorCode?: string }> {
  const transport = transportOf(stack, qwac);
  const answer = await transport.fetch(`${stack.registrationUrl}/tpp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, roles: ROLES, redirectUris: [redirectUri] }),
  });
  const body = (await answer.json()) as object;
  await transport.close();
  return { status: answer.status, ...body };
}

/**
 * Registers a TPP under a name of its own. The callback of its website leads on to another page of the TPP.
 * @param elsewhere addresses that this server does not serve: production requires https
 */
export async function openTppApp(
  stack: StackFile,
  name: string,
  elsewhere: { redirectUri?: string; callbackUrl?: string } = {},
) {
  const pages = new Map<string, string>([['/welcome', '<!doctype html><title>Back</title>']]);
  const callbacks: URLSearchParams[] = [];
  const webhooks: Webhook[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://tpp');
    if (pathname === '/callback') {
      callbacks.push(searchParams);
      // To another origin, as TPPs do.
      response.writeHead(302, { location: `http://localhost:${port()}/welcome` }).end();
      return;
    }
    if (pathname === '/webhooks') {
      void text(request).then((body) => {
        webhooks.push({ body, signature: request.headers['x-hmac-signature'] });
        response.writeHead(204).end();
      });
      return;
    }
    const html = pages.get(pathname);
    response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(html);
  });
  const port = (): number => (server.address() as AddressInfo).port;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${port()}`;
  const { redirectUri = `${origin}/callback`, callbackUrl = `${origin}/webhooks` } = elsewhere;
  const qwac = await mintQwac({
    request: {
      name,
      organizationIdentifier: `PSDDK-DFSA-${randomBytes(4).toString('hex')}`,
      roles: ROLES,
      days: 1,
    },
    issuer: await readIssuer(stack.issuingCa),
    at: new Date(),
  });
  const registered = await register(stack, qwac, { name, redirectUri });
  const [clientId, clientSecret] = [registered.clientId!, registered.clientSecret!];
  const transport = transportOf(stack, qwac);
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  let token = '';

  /** Calls an operation, with the token of `redeem` if there is no other. @throws Error with the status of a refusal */
  async function call(
    method: string,
    path: string,
    { body, as = token }: { body?: object; as?: string } = {},
  ): Promise<Record<string, unknown>> {
    const answer = await transport.fetch(stack.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${as}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const said = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${said}`);
    return (said === '' ? {} : JSON.parse(said)) as Record<string, unknown>;
  }

  /** @throws Error with the status and the error of a refusal */
  async function getTokens(form: Record<string, string>): Promise<Tokens> {
    const answer = await transport.fetch(`${stack.authUrl}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams(form),
    });
    const said = await answer.text();
    if (!answer.ok) throw new Error(`no token: ${answer.status} ${said}`);
    return JSON.parse(said) as Tokens;
  }

  return {
    clientId,
    clientSecret,
    /** The origin of the website; its pages beside the callback are under `pages`. */
    origin,
    /** HTML by path. */
    pages,
    /** Calls of the redirect URI, oldest first. */
    callbacks,
    webhooks,
    /** It has a query, and an approval leads back to it. */
    redirectUri,
    /** Sends its certificate with each call. */
    fetch: transport.fetch,
    call,
    getTokens,
    /** The first address in the browser; `more` replaces parameters. */
    authorizeUrl(more: Record<string, string> = {}): string {
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
    /** Trades in the latest code that came to the redirect URI. */
    async redeem(): Promise<Tokens> {
      const code = callbacks.at(-1)!.get('code')!;
      const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
      const tokens = await getTokens({ ...form, code_verifier: VERIFIER });
      token = tokens.access_token;
      return tokens;
    },
    /** Subscribes to events with a token of its own. @returns the key that signs them */
    async subscribe(...eventTypes: string[]): Promise<string> {
      const { access_token: as } = await getTokens({ grant_type: 'client_credentials' });
      const body = { callbackUrl, eventTypes };
      const path = `/v1/webhook-subscriptions/${randomUUID()}`;
      return String((await call('POST', path, { body, as })).subscriptionKey);
    },
    async close(): Promise<void> {
      await transport.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
