import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@kontoport/embedded/wait';
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

const REDIRECT = 'https://tpp.example/callback';

/** What a browser does with the address, without client certificate: the redirect URI with its answer. */
async function browse(url: URL): Promise<URL> {
  const dispatcher = new Agent({ connect: { ca: readFileSync(stack.serverCa, 'utf8') } });
  try {
    const { status, headers } = await fetchBy(url, { redirect: 'manual', dispatcher });
    expect(status).toBe(303);
    return new URL(headers.get('location')!, url);
  } finally {
    await dispatcher.close();
  }
}

beforeAll(async () => {
  stack = await start('--no-tour').ready();
  const who = { name: 'Real Client', roles: ['PSP_AI', 'PSP_PI'] } as const;
  const request = { ...who, organizationIdentifier: 'PSDDK-DFSA-4711', days: 1 };
  tpp = transportOf(await mintQwac({ request, issuer: await readIssuer(stack.issuingCa), at: new Date() }));
  const registered = await tpp.fetch(`${stack.registrationUrl}/tpp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...who, redirectUris: [REDIRECT] }),
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

  it.each(['in the address', 'pushed'])(
    "gets a user's consent by the code flow with PKCE, %s (§5.9)",
    async (way) => {
      const config = await discover(client.clientSecret);
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const expectedState = openid.randomState();
      const parameters = {
        redirect_uri: REDIRECT,
        scope: 'PSP_AI',
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
        prompt: 'none',
        login_hint: 'private-dk',
        authorization_details: JSON.stringify([{ type: 'accounts', validDays: 30 }]),
      };
      const url =
        way === 'pushed'
          ? await openid.buildAuthorizationUrlWithPAR(config, parameters)
          : openid.buildAuthorizationUrl(config, parameters);
      const callback = await browse(url);
      const first = await openid.authorizationCodeGrant(config, callback, {
        pkceCodeVerifier,
        expectedState,
      });
      expect(first).toMatchObject({
        token_type: 'bearer',
        scope: 'PSP_AI',
        refresh_token: expect.any(String),
      });
      const [opened] = first.authorization_details as unknown as { accounts: { id: string }[] }[];
      const accounts = new URL(`${stack.baseUrl}/accounts`);
      const read = async (token: string): Promise<string[]> => {
        const answer = await openid.fetchProtectedResource(config, token, accounts, 'GET');
        const body = (await answer.json()) as { accounts: { id: string }[] };
        return body.accounts.map(({ id }) => id).toSorted();
      };
      expect(await read(first.access_token)).toEqual(opened!.accounts.map(({ id }) => id).toSorted());
      const second = await openid.refreshTokenGrant(config, first.refresh_token!);
      expect(await read(second.access_token)).toEqual(await read(first.access_token));
      await openid.tokenRevocation(config, second.refresh_token!);
      await expect(openid.refreshTokenGrant(config, second.refresh_token!)).rejects.toMatchObject({
        status: 400,
        error: 'invalid_grant',
      });
      for (const token of [first.access_token, second.access_token])
        await expect(read(token)).rejects.toMatchObject({ status: 401 });
    },
  );

  it('understands a refusal that comes to its redirect URI (§5.9)', async () => {
    const config = await discover(client.clientSecret);
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const callback = await browse(
      openid.buildAuthorizationUrl(config, {
        redirect_uri: REDIRECT,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
        prompt: 'none',
        login_hint: 'nobody',
      }),
    );
    await expect(
      openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState }),
    ).rejects.toMatchObject({ error: 'login_required' });
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

  it("gets a user's consent by a pushed request, and uses a code once (§5.9)", async () => {
    const [server, id] = [await discover(), { client_id: client.clientId }];
    const proof = oauth.ClientSecretBasic(client.clientSecret);
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const parameters = new URLSearchParams({
      client_id: client.clientId,
      redirect_uri: REDIRECT,
      response_type: 'code',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      prompt: 'none',
    });
    const pushed = await oauth.processPushedAuthorizationResponse(
      server,
      id,
      await oauth.pushedAuthorizationRequest(server, id, proof, parameters, options()),
    );
    const url = new URL(server.authorization_endpoint!);
    url.searchParams.set('client_id', client.clientId);
    url.searchParams.set('request_uri', pushed.request_uri);
    const answer = oauth.validateAuthResponse(server, id, await browse(url), state);
    const redeem = async () =>
      oauth.processAuthorizationCodeResponse(
        server,
        id,
        await oauth.authorizationCodeGrantRequest(server, id, proof, answer, REDIRECT, verifier, options()),
      );
    const first = await redeem();
    expect((await readAccounts(first.access_token)).status).toBe(200);
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      id,
      await oauth.refreshTokenGrantRequest(server, id, proof, first.refresh_token!, options()),
    );
    expect((await readAccounts(refreshed.access_token)).status).toBe(200);
    await expect(redeem()).rejects.toMatchObject({ status: 400, error: 'invalid_grant' });
    for (const token of [first.access_token, refreshed.access_token])
      await expect(readAccounts(token)).rejects.toMatchObject({ status: 401 });
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

/** A webhook as it came: its bytes, and what signs them. */
interface Delivered {
  body: Buffer;
  signature: unknown;
}

describe('a payment, as far as its signed webhook (§2.12, §3.2, §5.8, §6)', () => {
  const delivered: Delivered[] = [];
  const receiver = createServer((request, response) => {
    void request.toArray().then(
      (parts: Buffer[]) => {
        delivered.push({ body: Buffer.concat(parts), signature: request.headers['x-hmac-signature'] });
        response.writeHead(204).end();
      },
      () => response.destroy(),
    );
  });
  let authorization: string;
  beforeAll(async () => {
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const basic = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64');
    const granted = await tpp.fetch(`${stack.authUrl}/oauth2/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    });
    const { access_token: token } = (await granted.json()) as { access_token: string };
    authorization = `Bearer ${token}`;
  });
  afterAll(async () => {
    receiver.closeAllConnections();
    receiver.close();
    await once(receiver, 'close');
  });

  const call = async (method: string, path: string, json?: object): Promise<Record<string, unknown>> => {
    const sent = json && { body: JSON.stringify(json) };
    const headers = { authorization, ...(json && { 'content-type': 'application/json' }) };
    const answer = await tpp.fetch(stack.baseUrl + path, { method, headers, ...sent });
    const body = (await answer.json()) as Record<string, unknown>;
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(body)}`);
    return body;
  };

  it(
    'is told when it comes into being and when it is settled, each signed with the key of the subscription',
    async () => {
      const subscriptionId = randomUUID();
      const { subscriptionKey } = await call('POST', `/v1/webhook-subscriptions/${subscriptionId}`, {
        callbackUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
        eventTypes: ['Transfer.CreatedV1', 'Transfer.StatusChangedV1'],
      });
      const { accounts } = (await call('GET', '/accounts')) as {
        accounts: { id: string; name: string; currency: string }[];
      };
      const { id: accountId } = accounts.find(({ name }) => name === 'Lønkonto')!;
      const drafts = '/payments/drafts/domestic-credit-transfer';
      const [draftId, requestId] = [randomUUID(), randomUUID()];
      await call('POST', drafts, { draftId, name: 'Rent' });
      await call('PATCH', `${drafts}/${draftId}`, {
        receiverAccountBban: '54790001234567',
        receiverName: 'Kim Holm',
        amount: '12.50',
        currency: 'DKK',
        senderAccountId: accountId,
      });
      const redirectUrl = REDIRECT;
      const approval = { requestId, draftIds: [draftId], redirectUrl };
      expect(await call('POST', '/payments/drafts/approve', approval)).toMatchObject({ status: 'APPROVED' });
      const { drafts: entries } = await call('GET', `/payments/drafts/approve/${requestId}/status`);
      const [{ paymentId }] = entries as [{ paymentId: string }];

      const of = (type: string) =>
        delivered
          .map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>)
          .find(({ eventType }) => eventType === type);
      await until(() => of('Transfer.CreatedV1') && of('Transfer.StatusChangedV1'), {
        what: 'both webhooks',
      });
      for (const [type, status] of [
        ['Transfer.CreatedV1', 'PENDING'],
        ['Transfer.StatusChangedV1', 'COMPLETED'],
      ] as const)
        expect(of(type)).toMatchObject({ subscriptionId, data: { paymentId, accountId, draftId, status } });
      for (const { body, signature } of delivered)
        expect(signature).toBe(
          createHmac('sha256', subscriptionKey as string)
            .update(body)
            .digest('hex'),
        );
    },
    LIMIT_MS,
  );
});
