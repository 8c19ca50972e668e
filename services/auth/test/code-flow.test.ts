import { type ClientDirectory, openClientDirectory } from '@kontoport/client-directory';
import { until } from '@kontoport/embedded/wait';
import { call, createClient } from '@kontoport/grpc';
import { createLogger } from '@kontoport/lifecycle';
import { ConsentsServiceClient } from '@kontoport/proto/accounts/v1';
import type { Answer } from '@kontoport/testing/answer';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { decodeJwt } from 'jose';
import { asked, authorizeUrl, pkce, TestBrowser } from './browser.ts';
import { newCode, newTokens, type Origins, post, redeem, refresh } from './code-flow.ts';
import { countOf, sql, surroundAuth, type Surroundings } from './running.ts';

let around: Surroundings;
let at: Origins;
let replica: Origins;
let consents: ConsentsServiceClient;
let directory: ClientDirectory;

beforeAll(async () => {
  around = await surroundAuth({ accounts: 'sandbox' });
  at = await around.start();
  replica = await around.start();
  consents = createClient(ConsentsServiceClient, around.env.ACCOUNTS_GRPC!);
  directory = openClientDirectory({
    address: around.env.REGISTRATION_GRPC!,
    service: 'test',
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
}, 120_000);
afterAll(async () => {
  await directory.close();
  consents.close();
  await around.close();
});

const change = (statement: string, values: unknown[]): Promise<object[]> =>
  sql(around.database.url, statement, values);
const revoked = ({ clientId }: TestTpp): string[] =>
  directory.find(clientId)?.revokedTokens.map(({ id }) => id) ?? [];
const error = ({ status, body }: Answer): unknown[] => [status, body.error];
const INVALID_GRANT = [400, 'invalid_grant'];
const familyOf = (access: string): string => decodeJwt(access).jti!.split('_', 1)[0]!;

describe('the authorization code flow (§5.9; RFC 6749 §4.1)', () => {
  it('issues a token under a consent, with its accounts and end', async () => {
    const tpp = await around.peers.addTpp();
    const { access, body } = await newTokens(at, tpp, {
      login_hint: 'private-dk',
      scope: 'PSP_AI',
      authorization_details: '[{"type":"accounts","validDays":90}]',
    });
    const claims = decodeJwt(access);
    const { clientId } = tpp;
    const { consent } = await call(consents, consents.getConsent, {
      consentId: String(claims.consent_id),
      clientId,
    });
    expect(consent).toMatchObject({ clientId, roles: ['PSP_AI'], revokedAt: undefined });
    const days = (consent!.validUntil!.getTime() - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89);
    expect(days).toBeLessThanOrEqual(90);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'PSP_AI' });
    expect(claims).toMatchObject({ client_id: clientId, scope: 'PSP_AI', iss: around.env.TOKEN_ISSUER });
    const { accounts } = await call(consents, consents.listUserAccounts, {
      clientId,
      userId: consent!.userId,
    });
    expect(body.authorization_details).toEqual([
      {
        type: 'accounts',
        consentId: claims.consent_id,
        validUntil: consent!.validUntil!.toISOString(),
        accounts: accounts.map(({ accountId, bban, currency }) => ({ id: accountId, bban, currency })),
      },
    ]);
    expect(accounts.length).toBeGreaterThan(0);
  });

  it('gives each client its own, constant id of the user', async () => {
    const [one, other] = [await around.peers.addTpp(), await around.peers.addTpp()];
    const subject = async (tpp: TestTpp): Promise<unknown> =>
      decodeJwt((await newTokens(at, tpp)).access).sub;
    const known = await subject(one);
    expect(await subject(one)).toBe(known);
    expect(known).not.toBe(await subject(other));
    expect(known).not.toBe(one.clientId);
  });

  it('is login_required when the named user is unknown', async () => {
    const tpp = await around.peers.addTpp();
    await newCode(at, tpp);
    const parameters = asked(tpp.clientId, { prompt: 'none', login_hint: 'nobody' });
    const { told } = await new TestBrowser().visit(authorizeUrl(at.userOrigin, parameters));
    expect([told.get('error'), told.get('state'), told.get('iss')]).toEqual([
      'login_required',
      'the state',
      around.env.TOKEN_ISSUER,
    ]);
  });

  it('is access_denied, and decided, for the simulated user who refuses', async () => {
    const tpp = await around.peers.addTpp();
    await newCode(at, tpp);
    const parameters = asked(tpp.clientId, { prompt: 'none', login_hint: 'declining-dk' });
    const { told } = await new TestBrowser().visit(authorizeUrl(at.userOrigin, parameters));
    expect([told.get('error'), told.get('state'), told.get('code')]).toEqual([
      'access_denied',
      'the state',
      null,
    ]);
    expect(
      await sql(
        around.database.url,
        'SELECT outcome FROM authorization_decision WHERE client_id = $1 ORDER BY decided_at DESC LIMIT 1',
        [tpp.clientId],
      ),
    ).toEqual([{ outcome: 'REFUSED' }]);
  });
});

describe('a code (§5.9; RFC 9700 §4.5)', () => {
  it('is refused with anything else than it is bound to, and stays valid', async () => {
    const [tpp, other] = [await around.peers.addTpp(), await around.peers.addTpp()];
    await newCode(at, other);
    const code = await newCode(at, tpp);
    const foreign = await newCode(at, tpp);
    for (const answer of [
      await redeem(at, other, code),
      await redeem(at, tpp, code, { redirect_uri: 'https://tpp.test/callback/' }),
      await redeem(at, tpp, code, { redirect_uri: 'https://evil.test/callback' }),
      await redeem(at, tpp, code, { code_verifier: pkce().verifier }),
      await redeem(at, tpp, { code: code.code, verifier: foreign.verifier }),
      await redeem(at, tpp, { code: `${code.code.slice(0, -1)}x`, verifier: code.verifier }),
      await redeem(at, tpp, { code: 'x', verifier: code.verifier }),
      await refresh(at, tpp, code.code),
    ])
      expect(error(answer)).toEqual(INVALID_GRANT);
    expect((await redeem(at, tpp, code)).status).toBe(200);
  });

  it.each([
    ['no code', { code: '' }],
    ['no redirect URI', { redirect_uri: '' }],
    ['no verifier: PKCE is no choice', { code_verifier: '' }],
    ['a verifier that is too short', { code_verifier: 'x'.repeat(42) }],
    ['a verifier that is too long', { code_verifier: 'x'.repeat(129) }],
    ['the challenge of the method plain', { code_verifier: 'a b'.repeat(20) }],
  ])('is refused with %s', async (_what, changes) => {
    const tpp = await around.peers.addTpp();
    expect(error(await redeem(at, tpp, await newCode(at, tpp), changes))).toEqual([400, 'invalid_request']);
  });

  it('ends after a minute', async () => {
    const tpp = await around.peers.addTpp();
    const age = (seconds: number): Promise<object[]> =>
      change(
        `UPDATE authorization_decision SET decided_at = now() - interval '${seconds} s' WHERE client_id = $1`,
        [tpp.clientId],
      );
    const code = await newCode(at, tpp);
    await age(61);
    expect(error(await redeem(at, tpp, code))).toEqual(INVALID_GRANT);
    await age(30);
    expect((await redeem(at, tpp, code)).status).toBe(200);
  });

  it('works once; a second use ends its tokens everywhere', async () => {
    const tpp = await around.peers.addTpp();
    const code = await newCode(at, tpp);
    const { body } = await redeem(at, tpp, code);
    const next = await refresh(at, tpp, String(body.refresh_token));
    expect(error(await redeem(replica, tpp, code))).toEqual(INVALID_GRANT);
    for (const token of [body.refresh_token, next.body.refresh_token])
      expect(error(await refresh(at, tpp, String(token)))).toEqual(INVALID_GRANT);
    const family = familyOf(String(body.access_token));
    await until(() => revoked(tpp).includes(family), { what: 'the revocation' });
    expect(familyOf(String(next.body.access_token))).toBe(family);
  });

  it('ends nothing when it is used again without the verifier', async () => {
    const tpp = await around.peers.addTpp();
    const code = await newCode(at, tpp);
    const { body } = await redeem(at, tpp, code);
    const stolen = { code: code.code, verifier: pkce().verifier };
    expect(error(await redeem(at, tpp, stolen))).toEqual(INVALID_GRANT);
    expect((await refresh(at, tpp, String(body.refresh_token))).status).toBe(200);
  });

  it('works for at most one of many concurrent requests, whose tokens then end', async () => {
    const tpp = await around.peers.addTpp();
    const code = await newCode(at, tpp);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => redeem(i % 2 === 0 ? at : replica, tpp, code)),
    );
    const given = answers.filter(({ status }) => status === 200);
    // On a busy machine some requests time out with 503.
    const refused = answers.filter(({ status }) => status !== 200 && status !== 503);
    expect(given.length).toBeLessThanOrEqual(1);
    expect(refused.map(error)).toEqual(refused.map(() => INVALID_GRANT));
    for (const { body } of given)
      expect(error(await refresh(at, tpp, String(body.refresh_token)))).toEqual(INVALID_GRANT);
  });

  it('issues a token that expires with the consent', async () => {
    const tpp = await around.peers.addTpp();
    const code = await newCode(at, tpp);
    await change(
      `UPDATE authorization_decision SET valid_until = now() + interval '10 min' WHERE client_id = $1`,
      [tpp.clientId],
    );
    const { body } = await redeem(at, tpp, code);
    expect(body.expires_in).toBeLessThanOrEqual(600);
    expect(body.expires_in).toBeGreaterThan(500);
  });
});

describe('a refresh token (§5.9; RFC 9700 §4.14)', () => {
  it('rotates with each refresh, under the same consent', async () => {
    const tpp = await around.peers.addTpp();
    const first = await newTokens(at, tpp);
    const second = await refresh(at, tpp, first.refresh);
    const third = await refresh(replica, tpp, String(second.body.refresh_token));
    expect([second.status, third.status]).toEqual([200, 200]);
    expect(new Set([first.refresh, second.body.refresh_token, third.body.refresh_token]).size).toBe(3);
    const claims = [first.access, second.body.access_token, third.body.access_token].map((token) =>
      decodeJwt(String(token)),
    );
    expect(new Set(claims.map(({ jti }) => jti)).size).toBe(3);
    expect(new Set(claims.map(({ consent_id }) => consent_id)).size).toBe(1);
    expect(third.body.authorization_details).toEqual(first.body.authorization_details);
  });

  it('is answered again for half a minute', async () => {
    const tpp = await around.peers.addTpp();
    const first = await newTokens(at, tpp);
    const [lost, again] = [await refresh(at, tpp, first.refresh), await refresh(replica, tpp, first.refresh)];
    expect([lost.status, again.status]).toEqual([200, 200]);
    expect(again.body.refresh_token).toBe(lost.body.refresh_token);
  });

  it('ends its family when it is reused later', async () => {
    const tpp = await around.peers.addTpp();
    const first = await newTokens(at, tpp);
    const { body } = await refresh(at, tpp, first.refresh);
    await change(`UPDATE token_family SET rotated_at = now() - interval '31 s' WHERE client_id = $1`, [
      tpp.clientId,
    ]);
    expect(error(await refresh(at, tpp, first.refresh))).toEqual(INVALID_GRANT);
    expect(error(await refresh(at, tpp, String(body.refresh_token)))).toEqual(INVALID_GRANT);
    await until(() => revoked(tpp).includes(familyOf(first.access)), { what: 'the revocation' });
  });

  it('ends its family when its successor was used already', async () => {
    const tpp = await around.peers.addTpp();
    const first = await newTokens(at, tpp);
    const second = await refresh(at, tpp, first.refresh);
    const third = await refresh(at, tpp, String(second.body.refresh_token));
    expect(error(await refresh(at, tpp, first.refresh))).toEqual(INVALID_GRANT);
    expect(error(await refresh(at, tpp, String(third.body.refresh_token)))).toEqual(INVALID_GRANT);
  });

  it('used a hundred times at once leaves one family with one successor', async () => {
    const tpp = await around.peers.addTpp();
    const first = await newTokens(at, tpp);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => refresh(i % 2 === 0 ? at : replica, tpp, first.refresh)),
    );
    // No request is refused; on a busy machine some time out with 503.
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    const given = answers.filter(({ status }) => status === 200);
    const successors = new Set(given.map(({ body }) => String(body.refresh_token)));
    expect(successors.size).toBe(1);
    const [successor = ''] = successors;
    expect((await refresh(at, tpp, successor)).status).toBe(200);
    const families = await sql(around.database.url, 'SELECT FROM token_family WHERE client_id = $1', [
      tpp.clientId,
    ]);
    expect(families).toHaveLength(1);
  }, 120_000);

  it('is invalid for another client', async () => {
    const [tpp, other] = [await around.peers.addTpp(), await around.peers.addTpp()];
    await newTokens(at, other);
    const first = await newTokens(at, tpp);
    expect(error(await refresh(at, other, first.refresh))).toEqual(INVALID_GRANT);
    await post(at, '/oauth2/revoke', { tpp: other, form: { token: first.refresh } });
    expect((await refresh(at, tpp, first.refresh)).status).toBe(200);
  });

  it('narrows the scope on request; a refused request changes nothing', async () => {
    const tpp = await around.peers.addTpp();
    const first = await newTokens(at, tpp, { scope: 'PSP_AI' });
    const wider = await refresh(at, tpp, first.refresh, { form: { scope: 'PSP_AI PSP_PI' } });
    expect(error(wider)).toEqual([400, 'invalid_scope']);
    const rows = await sql(around.database.url, 'SELECT generation FROM token_family WHERE client_id = $1', [
      tpp.clientId,
    ]);
    expect(rows).toEqual([{ generation: 1 }]);
    const both = await newTokens(at, tpp);
    const less = await refresh(at, tpp, both.refresh, { form: { scope: 'PSP_PI' } });
    expect(less.body.scope).toBe('PSP_PI');
    expect((await refresh(at, tpp, String(less.body.refresh_token))).body.scope).toBe('PSP_AI PSP_PI');
  });

  it('ends with its consent, withdrawn or expired', async () => {
    const tpp = await around.peers.addTpp();
    const { clientId } = tpp;
    const [taken, over] = [await newTokens(at, tpp), await newTokens(at, tpp)];
    const consentId = String(decodeJwt(taken.access).consent_id);
    const { consent } = await call(consents, consents.getConsent, { consentId, clientId });
    await call(consents, consents.revokeConsent, { consentId, userId: consent!.userId });
    expect(error(await refresh(at, tpp, taken.refresh))).toEqual(INVALID_GRANT);
    await change(
      `UPDATE token_family SET created_at = now() - interval '2 h', access_until = now() - interval '1 h',
         expires_at = now() - interval '1 s' WHERE id = $1`,
      [familyOf(over.access)],
    );
    expect(error(await refresh(at, tpp, over.refresh))).toEqual(INVALID_GRANT);
  });

  it('is revoked with all tokens of its code, whatever the hint, repeatedly', async () => {
    const tpp = await around.peers.addTpp();
    for (const hint of ['refresh_token', 'access_token']) {
      const first = await newTokens(at, tpp);
      for (const _time of ['first', 'second']) {
        const form = { token: first.refresh, token_type_hint: hint };
        const answer = await post(at, '/oauth2/revoke', { tpp, form });
        expect([answer.status, answer.text]).toEqual([200, '']);
      }
      expect(error(await refresh(replica, tpp, first.refresh))).toEqual(INVALID_GRANT);
      await until(() => revoked(tpp).includes(familyOf(first.access)), { what: 'the revocation' });
    }
  });

  it('survives the revocation of an access token', async () => {
    const tpp = await around.peers.addTpp();
    const first = await newTokens(at, tpp);
    await post(at, '/oauth2/revoke', { tpp, form: { token: first.access } });
    await until(() => revoked(tpp).includes(decodeJwt(first.access).jti!), { what: 'the revocation' });
    expect((await refresh(at, tpp, first.refresh)).status).toBe(200);
  });

  it('has its access tokens revoked later, after a failed revocation', async () => {
    const tpp = await around.peers.addTpp();
    const id = familyOf((await newTokens(at, tpp)).access);
    await change('UPDATE token_family SET ended_at = now(), revocation_due = now() WHERE id = $1', [id]);
    await until(() => revoked(tpp).length > 0, { what: 'the revocation' });
    expect(revoked(tpp)).toEqual([id]);
  });

  it('is not in the database, nor is a code', async () => {
    const tpp = await around.peers.addTpp();
    const code = await newCode(at, tpp);
    const { body } = await redeem(at, tpp, code);
    expect(await countOf(around.database.url, 'token_family')).toBeGreaterThan(0);
    const rows = await sql<object>(
      around.database.url,
      `SELECT to_jsonb(token_family)::text AS row FROM token_family
       UNION ALL SELECT to_jsonb(authorization_decision)::text FROM authorization_decision`,
    );
    const stored = JSON.stringify(rows);
    for (const secret of [code.code, code.verifier, body.refresh_token, body.access_token])
      expect(stored).not.toContain(String(secret));
  });
});
