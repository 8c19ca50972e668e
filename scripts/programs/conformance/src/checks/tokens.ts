import { createHash, randomUUID, X509Certificate } from 'node:crypto';
import { jsonOf } from '@kontoport/profile';
import type { Check } from '../check.ts';
import {
  describeAnswer,
  expectHeader,
  expectRefusal,
  expectStatus,
  expectThat,
  type Json,
} from '../expectations.ts';
import type { Tpp } from '../tpp.ts';

const SUBSCRIPTIONS = '/v1/webhook-subscriptions';
const GRANT = { grant_type: 'client_credentials' };

const partOf = (token: string, part: 0 | 1): Json =>
  JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString() || '{}') as Json;

/** Requires an error of RFC 6749 §5.2. */
async function expectError(
  tpp: Tpp,
  form: Record<string, string>,
  { status, error }: { status: number; error: string },
) {
  const answer = await tpp.sendForm('/oauth2/token', form);
  expectThat(
    answer.status === status && jsonOf(answer).error === error,
    `${status} ${error}`,
    describeAnswer(answer),
  );
}

/** Tokens: grant, binding, scope, revocation. */
export const tokenChecks: readonly Check[] = [
  {
    clause: '4.1',
    id: 'token',
    must: 'The token endpoint grants a Bearer token of 3600 seconds at most, with its scope.',
    async run(tpp) {
      const json = expectStatus(await tpp.sendForm('/oauth2/token', GRANT), 200);
      expectThat(json.token_type === 'Bearer', 'token_type Bearer', 'another');
      const seconds = Number(json.expires_in);
      expectThat(seconds > 0 && seconds <= 3_600, 'expires_in of 1 to 3600', 'another');
    },
  },
  {
    clause: '4.1',
    id: 'token-form',
    must: 'A token is an ES256 JWT of type at+jwt, bound to the certificate by its thumbprint.',
    async run(tpp) {
      const token = await tpp.getToken();
      const { typ, alg } = partOf(token, 0);
      expectThat(
        typ === 'at+jwt' && alg === 'ES256',
        'typ at+jwt and alg ES256',
        'another type or algorithm',
      );
      const leaf = new X509Certificate(tpp.identity.cert!);
      const { cnf } = partOf(token, 1) as { cnf?: Json };
      const thumbprint = createHash('sha256').update(leaf.raw).digest('base64url');
      expectThat(cnf?.['x5t#S256'] === thumbprint, 'cnf with the thumbprint of the certificate', 'another');
    },
  },
  {
    clause: '4.1',
    id: 'wrong-credentials',
    must: 'A wrong secret and an unknown client get the same answer, 401 invalid_client with Basic.',
    async run(tpp) {
      const { clientId } = tpp.credentials;
      const answers = [];
      for (const credentials of [
        { clientId, clientSecret: 'wrong' },
        { clientId: randomUUID(), clientSecret: 'wrong' },
      ]) {
        const answer = await tpp.sendForm('/oauth2/token', GRANT, credentials);
        const isRefusal = answer.status === 401 && jsonOf(answer).error === 'invalid_client';
        expectThat(isRefusal, '401 invalid_client', describeAnswer(answer));
        expectHeader(answer, 'www-authenticate', /^Basic\b/);
        answers.push(JSON.stringify({ ...jsonOf(answer), requestId: undefined }));
      }
      expectThat(answers[0] === answers[1], 'the same body for both', 'different ones');
    },
  },
  {
    clause: '4.1',
    id: 'credentials-in-body',
    must: 'Credentials in the body are rejected.',
    async run(tpp) {
      const { clientId: client_id } = tpp.credentials;
      const form = { ...GRANT, client_id, client_secret: 'wrong' };
      const answer = await tpp.send('/oauth2/token', { method: 'POST', at: 'authUrl', form, token: null });
      expectThat([400, 401].includes(answer.status), '400 or 401', describeAnswer(answer));
    },
  },
  {
    clause: '4.1',
    id: 'grant-type',
    must: 'Another grant is 400 unsupported_grant_type.',
    run: (tpp) =>
      expectError(tpp, { grant_type: 'password' }, { status: 400, error: 'unsupported_grant_type' }),
  },
  {
    clause: '4.1',
    id: 'unknown-scope',
    must: 'An unknown scope is 400 invalid_scope.',
    run: (tpp) => expectError(tpp, { ...GRANT, scope: 'PSP_XX' }, { status: 400, error: 'invalid_scope' }),
  },
  {
    clause: '4',
    id: 'token-parameters',
    must: 'The token endpoint ignores unknown parameters.',
    run: async (tpp) => void (await tpp.getToken({ unknown: '1' })),
  },
  {
    clause: '4.1',
    id: 'revocation',
    must: 'A revoked token is rejected, and the other tokens of the client stay valid.',
    async run(tpp) {
      const token = await tpp.getToken();
      expectStatus(await tpp.send(SUBSCRIPTIONS, { token }), 200);
      expectStatus(await tpp.sendForm('/oauth2/revoke', { token }), 200);
      expectRefusal(await tpp.send(SUBSCRIPTIONS, { token }), 401, 'TOKEN_INVALID');
      expectStatus(await tpp.send(SUBSCRIPTIONS), 200);
    },
  },
  {
    clause: '4.1',
    id: 'revocation-of-unknown',
    must: 'The revocation of a text that is no token is 200.',
    run: async (tpp) => void expectStatus(await tpp.sendForm('/oauth2/revoke', { token: 'no-token' }), 200),
  },
  {
    clause: '4.1',
    id: 'revocation-of-foreign',
    must: 'The revocation of another client’s token changes nothing.',
    async run(tpp) {
      const neighbour = await tpp.neighbour();
      expectStatus(await tpp.sendForm('/oauth2/revoke', { token: neighbour.token }), 200);
      expectStatus(await neighbour.send(SUBSCRIPTIONS), 200);
    },
  },
  {
    clause: '5.3',
    id: 'invalid-token',
    must: 'A text that is no token is 401 TOKEN_INVALID with WWW-Authenticate Bearer.',
    async run(tpp) {
      const answer = await tpp.send(SUBSCRIPTIONS, { token: 'no-token' });
      expectRefusal(answer, 401, 'TOKEN_INVALID');
      expectHeader(answer, 'www-authenticate', /^Bearer\b/);
    },
  },
  {
    clause: '5.3',
    id: 'token-binding',
    must: 'A token is rejected over the certificate of another organization.',
    async run(tpp) {
      const over = tpp.deployment.open(await tpp.deployment.mint());
      const answer = await tpp.send(SUBSCRIPTIONS, { over });
      expectThat(answer.status === 401, 'status 401', describeAnswer(answer));
    },
  },
  {
    clause: '5.4',
    id: 'scope-of-accounts',
    must: 'A token without PSP_AI reads no accounts: 403 SCOPE_INSUFFICIENT.',
    role: 'PSP_PI',
    async run(tpp) {
      const token = await tpp.getToken({ scope: 'PSP_PI' });
      expectRefusal(await tpp.send('/accounts', { token }), 403, 'SCOPE_INSUFFICIENT');
    },
  },
  {
    clause: '5.4',
    id: 'scope-of-payments',
    must: 'A token without PSP_PI reads no payments: 403 SCOPE_INSUFFICIENT.',
    role: 'PSP_AI',
    async run(tpp) {
      const token = await tpp.getToken({ scope: 'PSP_AI' });
      expectRefusal(await tpp.send('/payments/standing-orders', { token }), 403, 'SCOPE_INSUFFICIENT');
    },
  },
];
