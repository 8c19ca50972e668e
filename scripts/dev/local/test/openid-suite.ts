import * as openid from 'openid-client';
import type { StackFile } from '../src/stack-file.ts';
import { openTppApp, type TppApp, transportOf } from './tpp-app.ts';

const REDIRECT = 'https://tpp.example/callback';

/** Tests of a standard client without settings of ours. @param running the stack that the tests use */
export const describeOpenidClient = (running: () => StackFile): void =>
  describe('openid-client (§4.1)', () => {
    let stack: StackFile;
    let tpp: TppApp;
    beforeAll(async () => {
      stack = running();
      tpp = await openTppApp(stack, 'Real Client', { redirectUri: REDIRECT });
    });
    afterAll(() => tpp.close());

    /** Opens the address without client certificate, as a browser does. @returns the redirect URI with its answer */
    async function browse(url: URL): Promise<URL> {
      const browser = transportOf(stack);
      const { status, headers } = await browser.fetch(url, { redirect: 'manual' });
      await browser.close();
      expect(status).toBe(303);
      return new URL(headers.get('location')!, url);
    }

    const discover = (secret: string): Promise<openid.Configuration> =>
      openid.discovery(new URL(stack.authUrl), tpp.clientId, undefined, openid.ClientSecretBasic(secret), {
        algorithm: 'oauth2',
        [openid.customFetch]: tpp.fetch,
      });

    it('discovers the server, gets a token over mutual TLS and reads accounts with it', async () => {
      const config = await discover(tpp.clientSecret);
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

    it('revokes its token, and a string that is no token', async () => {
      const config = await discover(tpp.clientSecret);
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
        const config = await discover(tpp.clientSecret);
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

    it('reads a refusal at its redirect URI (§5.9)', async () => {
      const config = await discover(tpp.clientSecret);
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

    it('reads the refusals of a wrong secret and of an unknown scope', async () => {
      await expect(openid.clientCredentialsGrant(await discover('wrong: %+æ'))).rejects.toMatchObject({
        status: 401,
        cause: [{ scheme: 'basic', parameters: { realm: expect.any(String) } }],
      });
      const config = await discover(tpp.clientSecret);
      await expect(openid.clientCredentialsGrant(config, { scope: 'PSP_XX' })).rejects.toMatchObject({
        status: 400,
        error: 'invalid_scope',
      });
    });
  });
