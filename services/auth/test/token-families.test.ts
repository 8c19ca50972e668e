import { until } from '@kontoport/embedded/wait';
import { decodeJwt } from 'jose';
import { newTokens, type Origins, refresh } from './code-flow.ts';
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

describe('what a client that redeems codes leaves behind (§5.9)', () => {
  it('is 250 families of a user: one more ends the oldest, and none of another user or client', async () => {
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

  it('keeps no other client from having its tokens refused, however much of it waits', async () => {
    const [busy, tpp] = [await around.peers.addTpp(), await around.peers.addTpp()];
    const [hers, first] = [await newTokens(at, busy), await newTokens(at, tpp)];
    // Clients that registration does not know: their revocations fail, and are tried again.
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
