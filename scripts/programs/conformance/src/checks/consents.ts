import { createHash, randomBytes } from 'node:crypto';
import { type Answer, jsonOf } from '@kontoport/profile';
import type { Check } from '../check.ts';
import {
  describeAnswer,
  expectHeader,
  expectRefusal,
  expectStatus,
  expectThat,
  headerOf,
  listOf,
  textOf,
} from '../expectations.ts';
import type { Tpp } from '../tpp.ts';

const STATE = 'conformance';

/** Opens the authorization endpoint as a browser does, with changes of a correct request. */
async function authorize(tpp: Tpp, verifier: string, changes: Record<string, string> = {}): Promise<Answer> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: tpp.credentials.clientId,
    redirect_uri: await tpp.redirectUri(),
    state: STATE,
    prompt: 'none',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  });
  return tpp.send(`/oauth2/authorize?${query.toString()}`, {
    at: 'userUrl',
    token: null,
    headers: { accept: 'text/html' },
    over: tpp.deployment.anonymous,
  });
}

/** The query of the redirect to the client. */
async function returned(tpp: Tpp, answer: Answer): Promise<URLSearchParams> {
  expectStatus(answer, 302, 303);
  const location = headerOf(answer, 'location');
  expectThat(location.startsWith(await tpp.redirectUri()), 'a redirect to the redirect URI', 'another');
  const { searchParams } = new URL(location);
  expectThat(searchParams.get('state') === STATE && searchParams.has('iss'), 'state and iss', 'none');
  return searchParams;
}

const redeem = async (tpp: Tpp, code: string, code_verifier: string): Promise<Answer> =>
  tpp.sendForm('/oauth2/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: await tpp.redirectUri(),
    code_verifier,
  });

const newVerifier = (): string => randomBytes(32).toString('base64url');

async function getCode(tpp: Tpp, verifier: string): Promise<string> {
  const code = (await returned(tpp, await authorize(tpp, verifier))).get('code');
  expectThat(code !== null, 'a code', 'none');
  return code;
}

function expectInvalidGrant(answer: Answer): void {
  const isRefusal = answer.status === 400 && jsonOf(answer).error === 'invalid_grant';
  expectThat(isRefusal, '400 invalid_grant', describeAnswer(answer));
}

/** The user's consent. */
export const consentChecks: readonly Check[] = [
  {
    clause: '5.9',
    id: 'authorization-page',
    must: 'An unknown client and another redirect URI get a page, never a redirect.',
    async run(tpp) {
      const wrong: [string, string][] = [
        ['client_id', 'unknown'],
        ['redirect_uri', 'https://other.example/callback'],
      ];
      for (const [name, value] of wrong) {
        const answer = await authorize(tpp, newVerifier(), { [name]: value });
        expectStatus(answer, 400);
        expectHeader(answer, 'content-type', /^text\/html\b/);
        expectThat(headerOf(answer, 'location') === '', 'no Location', 'one');
        expectHeader(answer, 'content-security-policy', /default-src 'none'/);
      }
    },
  },
  {
    clause: '5.9',
    id: 'challenge-required',
    must: 'A request without a challenge of S256 returns invalid_request to the redirect URI.',
    async run(tpp) {
      const query = await returned(
        tpp,
        await authorize(tpp, newVerifier(), { code_challenge_method: 'plain' }),
      );
      expectThat(query.get('error') === 'invalid_request', 'invalid_request', 'another error');
    },
  },
  {
    clause: '5.9',
    id: 'consent',
    must: 'A code gives a token that reads exactly the accounts of its consent, and works once.',
    role: 'PSP_AI',
    isForSandbox: true,
    async run(tpp) {
      const verifier = newVerifier();
      const code = await getCode(tpp, verifier);
      const json = expectStatus(await redeem(tpp, code, verifier), 200);
      const token = textOf(json, 'access_token');
      const [consent] = listOf(json, 'authorization_details');
      const ids = (part: Parameters<typeof listOf>[0]) =>
        listOf(part, 'accounts')
          .map(({ id }) => String(id))
          .toSorted()
          .join();
      const read = await tpp.ask('/accounts', { token });
      expectThat(ids(read) === ids(consent!), 'the accounts of the consent', 'others');
      expectInvalidGrant(await redeem(tpp, code, verifier));
      expectRefusal(await tpp.send('/accounts', { token }), 401, 'TOKEN_INVALID');
    },
  },
  {
    clause: '5.9',
    id: 'verifier',
    must: 'A code with another verifier, or of another client, is 400 invalid_grant.',
    role: 'PSP_AI',
    isForSandbox: true,
    async run(tpp) {
      expectInvalidGrant(await redeem(tpp, await getCode(tpp, newVerifier()), newVerifier()));
      const verifier = newVerifier();
      expectInvalidGrant(await redeem(await tpp.neighbour(), await getCode(tpp, verifier), verifier));
    },
  },
  {
    clause: '5.9',
    id: 'refresh',
    must: 'A refresh token rotates and gives another access token.',
    role: 'PSP_AI',
    isForSandbox: true,
    async run(tpp) {
      const verifier = newVerifier();
      const first = expectStatus(await redeem(tpp, await getCode(tpp, verifier), verifier), 200);
      const form = { grant_type: 'refresh_token', refresh_token: textOf(first, 'refresh_token') };
      const next = expectStatus(await tpp.sendForm('/oauth2/token', form), 200);
      expectThat(next.access_token !== first.access_token, 'another access token', 'the same');
      await tpp.ask('/accounts', { token: textOf(next, 'access_token') });
    },
  },
  {
    clause: '4.1',
    id: 'pushed-request',
    must: 'A pushed authorization request returns a request_uri for 90 seconds.',
    async run(tpp) {
      const answer = await tpp.sendForm('/oauth2/par', {
        response_type: 'code',
        client_id: tpp.credentials.clientId,
        redirect_uri: await tpp.redirectUri(),
        code_challenge: createHash('sha256').update(newVerifier()).digest('base64url'),
        code_challenge_method: 'S256',
      });
      const json = expectStatus(answer, 201);
      textOf(json, 'request_uri');
      expectThat(json.expires_in === 90, 'expires_in 90', 'another');
    },
  },
];
