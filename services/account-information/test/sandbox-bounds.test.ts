import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { HISTORIES } from '../src/account-data/sandbox/histories.ts';
import { SANDBOX_IDS } from '../src/account-data/sandbox/sandbox-ids.ts';
import { SANDBOX_USERS } from '../src/account-data/sandbox/users.ts';
import type { Reader } from './running.ts';
import { DAY_S, type Driver, startDriver } from './sandbox-driver.ts';

/** 95 pending transactions of the account of a client. */
const WAITING = `INSERT INTO sandbox_due (transaction_id, account_id, organization, outcome, ends_at, due_at)
  SELECT gen_random_uuid(), $2, organization, 'settle', now() + interval '1 day', now() + interval '1 day'
  FROM sandbox_client CROSS JOIN generate_series(1, 95) WHERE client_id = $1`;

let driver: Driver;
beforeAll(async () => {
  driver = await startDriver();
});
afterAll(() => driver.close());

describe('the sandbox commands of a client are limited (§Sandbox, §7)', () => {
  const set = (reader: Reader, column: 'entries' | 'entries_of_day', value: number) =>
    driver.running.pool.query(
      `UPDATE sandbox_client SET ${column} = $2, entries_day = (now() AT TIME ZONE 'UTC')::date WHERE client_id = $1`,
      [reader.clientId, value],
    );

  it('in number per day and in total, without effect on others', async () => {
    const [busy, neighbour] = [await driver.running.addTpp(), await driver.running.addTpp()];
    const accountId = await driver.idOf('Lønkonto', busy);
    const path = `/sandbox/accounts/${accountId}/postings`;
    const body = { amount: -1, currency: 'DKK' };
    await set(busy, 'entries_of_day', 999);
    expect((await driver.send(path, body, busy)).status).toBe(201);
    const before = await driver.state(accountId);
    for (const refused of [await driver.send(path, body, busy), await driver.advance('P1D', busy)]) {
      expect(refused).toMatchObject({ status: 429, body: { errorCode: 'RATE_LIMITED' } });
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(DAY_S);
    }
    expect((await driver.advance('P1D', neighbour)).status).toBe(200);
    await driver.running.pool.query(
      'UPDATE sandbox_client SET entries_day = entries_day - 1 WHERE client_id = $1',
      [busy.clientId],
    );
    expect((await driver.send(path, body, busy)).status).toBe(201);
    await set(busy, 'entries', 9_999);
    expect((await driver.send(path, body, busy)).status).toBe(201);
    expect(await driver.send(path, body, busy)).toMatchObject({
      status: 409,
      body: { errorCode: 'STATUS_INVALID' },
    });
    expect(await driver.state(accountId)).toEqual({ ...before, balance: before.balance - 200 });
  });

  it('to a hundred pending ones; one that ends makes room', async () => {
    const busy = await driver.running.addTpp();
    const accountId = await driver.idOf('Lønkonto', busy);
    await driver.running.pool.query(WAITING, [busy.clientId, accountId]);
    const authorize = () =>
      driver.send(`/sandbox/accounts/${accountId}/authorizations`, { amount: -1, currency: 'DKK' }, busy);
    // The client's bank has four pending transactions of its own.
    const last = await authorize();
    expect(last.status).toBe(201);
    expect(await authorize()).toMatchObject({ status: 409, body: { errorCode: 'STATUS_INVALID' } });
    await driver.send(
      `/sandbox/accounts/${accountId}/authorizations/${last.body.transactionId as string}/fail`,
      undefined,
      busy,
    );
    expect((await authorize()).status).toBe(201);
  });

  it('without counting refused and repeated ones among the hundred', async () => {
    const busy = await driver.running.addTpp();
    const accountId = await driver.idOf('Lønkonto', busy);
    const path = `/sandbox/accounts/${accountId}`;
    const given = (amount: number) => ({ transactionId: randomUUID(), amount, currency: 'DKK' });
    const authorize = (body: object) => driver.send(`${path}/authorizations`, body, busy);
    const waiting = async (transactionId: string): Promise<number> => {
      const { rowCount } = await driver.running.pool.query(
        'SELECT FROM sandbox_due WHERE transaction_id = $1',
        [transactionId],
      );
      return rowCount!;
    };
    const posted = given(-2);
    expect((await driver.send(`${path}/postings`, posted, busy)).status).toBe(201);
    await driver.running.pool.query(WAITING, [busy.clientId, accountId]);
    const dear = { ...given(-99_999_999), requireFunds: true };
    for (const [body, errorCode] of [
      [dear, 'FUNDS_INSUFFICIENT'],
      [dear, 'FUNDS_INSUFFICIENT'],
      [posted, 'DUPLICATE_ID'],
    ] as const) {
      expect((await authorize(body)).body).toMatchObject({ errorCode });
      expect(await waiting(body.transactionId)).toBe(0);
    }
    // The client's bank has four pending ones: this is the hundredth, and its repetition does not count.
    const last = given(-1);
    for (let time = 0; time < 2; time++) expect((await authorize(last)).status).toBe(201);
    expect(await waiting(last.transactionId)).toBe(1);
    expect(await authorize(given(-1))).toMatchObject({ status: 409, body: { errorCode: 'STATUS_INVALID' } });
    await driver.send(`${path}/authorizations/${last.transactionId}/settle`, undefined, busy);
    expect((await authorize(last)).status).toBe(201);
    expect(await waiting(last.transactionId)).toBe(0);
  });

  it('and cannot use an id that another organization’s data needs later', async () => {
    const organizationIdentifier = 'PSDDK-DFSA-1002';
    const [early, late] = [
      await driver.running.addTpp(),
      await driver.running.addTpp({ organizationIdentifier }),
    ];
    const path = `/sandbox/accounts/${await driver.idOf('Lønkonto', early)}`;
    const { key: account } = SANDBOX_USERS[0]!.accounts[0]!;
    const { key } = HISTORIES[account]!.posted[0]!;
    const transactionId = SANDBOX_IDS.transaction(organizationIdentifier, account, `${key}-1`);
    for (const route of ['postings', 'authorizations'])
      expect(
        await driver.send(`${path}/${route}`, { transactionId, amount: -1, currency: 'DKK' }, early),
      ).toMatchObject({ status: 400, body: { details: [{ path: 'transactionId' }] } });
    const { status, body: answered } = await late.get('/accounts');
    expect(status).toBe(200);
    expect(answered.accounts).not.toEqual([]);
  });

  it('to four at a time: the fifth is 429, another client is served', async () => {
    const [busy, neighbour] = [await driver.running.addTpp(), await driver.running.addTpp()];
    const accountId = await driver.idOf('Lønkonto', busy);
    const elsewhere = await driver.idOf('Lønkonto', neighbour);
    const lock = await driver.running.pool.connect();
    try {
      await lock.query('BEGIN');
      await lock.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [accountId]);
      const post = (reader: Reader, id: string) =>
        driver.send(`/sandbox/accounts/${id}/postings`, { amount: -1, currency: 'DKK' }, reader);
      const answered: number[] = [];
      const all = Promise.all(
        Array.from({ length: 6 }, async () => answered.push((await post(busy, accountId)).status)),
      );
      await until(() => answered.length === 2, { what: 'two of six to be refused' });
      expect(answered).toEqual([429, 429]);
      expect((await post(neighbour, elsewhere)).status).toBe(201);
      await lock.query('ROLLBACK');
      await all;
      expect(answered.slice(2)).toEqual([201, 201, 201, 201]);
    } finally {
      lock.release();
    }
  });

  it('to five at a time of an organization, which leaves connections for another one during a reset', async () => {
    const organization = { organizationIdentifier: 'PSDDK-DFSA-1003' };
    const busy = await Promise.all([1, 2, 3].map(() => driver.running.addTpp(organization)));
    const stranger = await driver.running.addTpp();
    for (const client of [...busy, stranger]) await client.accounts();
    const lock = await driver.running.pool.connect();
    try {
      await lock.query('BEGIN');
      // As a reset of the bank at another replica.
      const ids = busy.map(({ clientId }) => clientId);
      await lock.query('SELECT FROM sandbox_client WHERE client_id = ANY ($1::uuid[]) FOR UPDATE', [ids]);
      const answered: number[] = [];
      const all = Promise.all(
        [...busy, ...busy, ...busy, ...busy].map(async (client) =>
          answered.push((await driver.advance('PT1S', client)).status),
        ),
      );
      await until(() => answered.length === 7, { what: 'seven of twelve to be refused' });
      expect(answered).toEqual(Array.from({ length: 7 }, () => 429));
      expect((await driver.advance('PT1S', stranger)).status).toBe(200);
      await lock.query('ROLLBACK');
      await all;
      expect(answered.slice(7)).toEqual([200, 200, 200, 200, 200]);
    } finally {
      lock.release();
    }
  });
});
