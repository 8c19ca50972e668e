import { readFileSync } from 'node:fs';
import { mintQwac, type Qwac, readIssuer } from '@kontoport/issuing';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { Agent, fetch as fetchBy } from 'undici';
import type { StackFile } from '../src/stack-file.ts';
import { LIMIT_MS, useStack } from './started-stack.ts';

const { start } = useStack('file');

let stack: StackFile;
let client: { clientId: string; clientSecret: string };
/** The transport of one provider: its certificate, and the server's CA. Nothing else is told to the libraries. */
let tpp: { fetch: typeof fetch; close: () => Promise<void> };

function transportOf({ chainPem, keyPem }: Pick<Qwac, 'chainPem' | 'keyPem'>): typeof tpp {
  const ca = readFileSync(stack.serverCa, 'utf8');
  const dispatcher = new Agent({ connect: { ca, cert: chainPem, key: keyPem } });
  const call = (url: string, init: object): Promise<unknown> => fetchBy(url, { ...init, dispatcher });
  return { fetch: call as typeof fetch, close: () => dispatcher.close() };
}

beforeAll(async () => {
  stack = await start('--no-tour').ready();
  const who = { name: 'Real Client', roles: ['PSP_AI', 'PSP_PI'] } as const;
  const request = { ...who, organizationIdentifier: 'PSDDK-DFSA-4711', days: 1 };
  tpp = transportOf(await mintQwac({ request, issuer: await readIssuer(stack.issuingCa), at: new Date() }));
  const registered = await tpp.fetch(`${stack.registrationUrl}/tpp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...who, redirectUris: ['https://tpp.example/callback'] }),
  });
  client = (await registered.json()) as typeof client;
}, LIMIT_MS);
afterAll(() => tpp.close());

describe('openid-client, as it comes (§4.1)', () => {
  const discover = (secret: string): Promise<openid.Configuration> =>
    openid.discovery(new URL(stack.authUrl), client.clientId, undefined, openid.ClientSecretBasic(secret), {
      algorithm: 'oauth2',
      [openid.customFetch]: tpp.fetch,
    });

  it('discovers the server, gets a token over mutual TLS and reads accounts with it', async () => {
    const config = await discover(client.clientSecret);
    const metadata = config.serverMetadata();
    expect(metadata.issuer).toBe(stack.authUrl);
    expect(metadata.tls_client_certificate_bound_access_tokens).toBe(true);
    const token = await openid.clientCredentialsGrant(config, { scope: 'PSP_AI' });
    expect(token).toMatchObject({ token_type: 'bearer', scope: 'PSP_AI' });
    expect(token.expiresIn()).toBeGreaterThan(0);
    const accounts = await openid.fetchProtectedResource(
      config,
      token.access_token,
      new URL(`${stack.baseUrl}/accounts`),
      'GET',
    );
    expect(accounts.status).toBe(200);
  });

  it('revokes its token, and a token that is none all the same', async () => {
    const config = await discover(client.clientSecret);
    const { access_token: token } = await openid.clientCredentialsGrant(config);
    await openid.tokenRevocation(config, token);
    await openid.tokenRevocation(config, 'none');
    const accounts = new URL(`${stack.baseUrl}/accounts`);
    await expect(openid.fetchProtectedResource(config, token, accounts, 'GET')).rejects.toMatchObject({
      status: 401,
      cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
    });
  });

  it('understands what it is told of a wrong secret', async () => {
    const config = await discover('wrong: %+æ');
    await expect(openid.clientCredentialsGrant(config)).rejects.toMatchObject({
      status: 401,
      cause: [{ scheme: 'basic', parameters: { realm: expect.any(String) } }],
    });
  });

  it('understands what it is told of a scope that is none', async () => {
    const config = await discover(client.clientSecret);
    await expect(openid.clientCredentialsGrant(config, { scope: 'PSP_XX' })).rejects.toMatchObject({
      status: 400,
      error: 'invalid_scope',
    });
  });
});

describe('oauth4webapi, as it comes (§4.1)', () => {
  const options = () => ({ [oauth.customFetch]: tpp.fetch });
  const discover = async (): Promise<oauth.AuthorizationServer> => {
    const issuer = new URL(stack.authUrl);
    const answer = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options() });
    return oauth.processDiscoveryResponse(issuer, answer);
  };
  const grant = async (secret: string) => {
    const [server, id] = [await discover(), { client_id: client.clientId }];
    const answer = await oauth.clientCredentialsGrantRequest(
      server,
      id,
      oauth.ClientSecretBasic(secret),
      new URLSearchParams(),
      options(),
    );
    return oauth.processClientCredentialsResponse(server, id, answer);
  };

  const readAccounts = (token: string): Promise<Response> => {
    const accounts = new URL(`${stack.baseUrl}/accounts`);
    return oauth.protectedResourceRequest(token, 'GET', accounts, new Headers(), null, options());
  };

  it('gets a token with which it reads accounts', async () => {
    const { access_token: token, token_type: type } = await grant(client.clientSecret);
    expect(type).toBe('bearer');
    expect((await readAccounts(token)).status).toBe(200);
  });

  it('revokes its token', async () => {
    const { access_token: token } = await grant(client.clientSecret);
    const answer = await oauth.revocationRequest(
      await discover(),
      { client_id: client.clientId },
      oauth.ClientSecretBasic(client.clientSecret),
      token,
      options(),
    );
    await oauth.processRevocationResponse(answer);
    await expect(readAccounts(token)).rejects.toMatchObject({ status: 401 });
  });

  it('understands what it is told of a wrong secret', async () => {
    await expect(grant('wrong')).rejects.toMatchObject({
      status: 401,
      cause: [{ scheme: 'basic', parameters: { realm: expect.any(String) } }],
    });
  });

  it('understands what it is told of a token that is none', async () => {
    await expect(readAccounts('none')).rejects.toMatchObject({
      status: 401,
      cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
    });
  });
});
