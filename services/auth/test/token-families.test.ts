import { randomBytes } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { kontoport } from '@kontoport/testing/kontoport';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { newCode, newTokens, type Origins, redeem, refresh } from './code-flow.ts';
import { sql, surroundAuth, type Surroundings } from './running.ts';

let around: Surroundings;
let at: Origins;

beforeAll(async () => {
  around = await surroundAuth({ accounts: 'sandbox' });
  at = await around.start();
});
afterAll(() => around.close());

const change = (statement: string, values: unknown[]): Promise<object[]> =>
  sql(around.database.url, statement, values);
const familyOf = (access: string): string => decodeJwt(access).jti!.split('_', 1)[0]!;

describe('the token families of a client (§5.9)', () => {
  it('are 250 for a user; another one ends the oldest of the same user', async () => {
    const [tpp, other] = [await around.peers.addTpp(), await around.peers.addTpp()];
    const hint = { login_hint: 'private-dk' };
    const [oldest, kept] = [await newTokens(at, tpp, hint), await newTokens(at, tpp, hint)];
    const [theirs, another] = [
      await newTokens(at, other, hint),
      await newTokens(at, tpp, { login_hint: 'private-se' }),
    ];
    await change(
      `INSERT INTO token_family (id, client_id, consent_id, user_id, roles, created_at, expires_at, access_until, forget_at)
       SELECT gen_random_uuid(), client_id, gen_random_uuid(), user_id, roles, created_at, expires_at, access_until, forget_at
       FROM token_family, generate_series(1, 248) WHERE id = $1`,
      [familyOf(kept.access)],
    );
    expect((await refresh(at, tpp, kept.refresh)).status).toBe(200);
    const last = await refresh(at, tpp, oldest.refresh);
    expect(last.status).toBe(200);
    const newest = await newTokens(at, tpp, hint);
    expect(await refresh(at, tpp, String(last.body.refresh_token))).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    for (const [by, { refresh: token }] of [
      [tpp, newest],
      [tpp, another],
      [other, theirs],
    ] as const)
      expect((await refresh(at, by, token)).status).toBe(200);
    const left = await change(
      'SELECT forget_at <= access_until AS soon FROM token_family WHERE id = $1 AND ended_at IS NOT NULL',
      [familyOf(oldest.access)],
    );
    expect(left).toEqual([{ soon: true }]);
    const live = await change(
      'SELECT FROM token_family WHERE client_id = $1 AND ended_at IS NULL AND user_id = (SELECT user_id FROM token_family WHERE id = $2)',
      [tpp.clientId, familyOf(newest.access)],
    );
    expect(live).toHaveLength(250);
  });

  it('delay no other client’s revocations, however many are pending', async () => {
    const [busy, tpp] = [await around.peers.addTpp(), await around.peers.addTpp()];
    const [hers, first] = [await newTokens(at, busy), await newTokens(at, tpp)];
    // Registration does not know these clients: their revocations fail and are retried.
    await change(
      `INSERT INTO token_family (id, client_id, consent_id, user_id, roles, created_at, expires_at, access_until, ended_at,
         revocation_due, forget_at)
       SELECT gen_random_uuid(), gone.id, gen_random_uuid(), user_id, roles, created_at, expires_at, access_until, now(),
         now() - interval '10 minutes', forget_at
       FROM token_family, generate_series(1, 2000), (SELECT gen_random_uuid() AS id OFFSET 0) AS gone WHERE token_family.id = $1`,
      [familyOf(hers.access)],
    );
    const id = familyOf(first.access);
    await change('UPDATE token_family SET ended_at = now(), revocation_due = now() WHERE id = $1', [id]);
    await until(
      async () => {
        const rows = await change('SELECT FROM token_family WHERE id = $1 AND revocation_due IS NULL', [id]);
        return rows.length === 1;
      },
      { what: 'the revocation' },
    );
    expect(await change('SELECT FROM token_family WHERE revocation_due IS NOT NULL', [])).toHaveLength(2_000);
  });
});

describe('SECRETS_KEY with several keys', () => {
  it('is changed without losing a token, a code or a user id', async () => {
    const older = around.env.SECRETS_KEY!;
    const newer = randomBytes(32).toString('base64url');
    const reseal = (keys: string) =>
      kontoport(['reseal', 'auth'], {
        env: { PATH: process.env.PATH, DATABASE_URL: around.database.url, SECRETS_KEY: keys },
      });
    const tpp = await around.peers.addTpp();
    const first = await newTokens(at, tpp);
    const code = await newCode(at, tpp);
    const { kid } = decodeProtectedHeader(first.access);
    const { sub } = decodeJwt(first.access);
    /** Uses a refresh token at a replica and returns the next one. */
    const goesOn = async (replica: Origins, token: string): Promise<string> => {
      const { status, body } = await refresh(replica, tpp, token);
      expect(status).toBe(200);
      expect(decodeJwt(String(body.access_token)).sub).toBe(sub);
      const { keys } = (await (await fetch(`${replica.origin}/.well-known/jwks.json`)).json()) as {
        keys: { kid: string }[];
      };
      expect(keys.map((key) => key.kid)).toContain(kid);
      return String(body.refresh_token);
    };

    const both = await around.start({ SECRETS_KEY: `${newer},${older}` });
    const second = await goesOn(both, first.refresh);
    expect((await redeem(both, tpp, code)).status).toBe(200);
    const third = await goesOn(at, second);
    await expect(around.start({ SECRETS_KEY: newer })).rejects.toThrow(
      'SECRETS_KEY: does not open the root key',
    );
    expect(await reseal(newer)).toEqual({
      status: 1,
      stdout: expect.stringContaining('signing keys: 2 looked at, 0 re-sealed\n'),
      stderr:
        'kontoport reseal: no key of SECRETS_KEY opens 2 of 2 signing keys, 1 of 1 root keys; ' +
        'list the key that they are sealed with, too. The others are re-sealed\n',
    });
    expect(await reseal(`${newer},${older}`)).toEqual({
      status: 0,
      stdout:
        'signing keys: 2 looked at, 2 re-sealed\nroot keys: 1 looked at, 1 re-sealed\neverything is sealed with the first key\n',
      stderr: '',
    });
    const alone = await around.start({ SECRETS_KEY: newer });
    await goesOn(alone, third);
    await expect(around.start({ SECRETS_KEY: older })).rejects.toThrow(
      'SECRETS_KEY: does not open the root key',
    );
    expect((await reseal('short')).status).toBe(2);
  }, 60_000);
});
