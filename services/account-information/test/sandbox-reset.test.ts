import { randomUUID } from 'node:crypto';
import { consentScene, inDays } from './consent-scene.ts';
import type { Reader } from './running.ts';
import { DAY_S, type Driver, startDriver } from './sandbox-driver.ts';

let driver: Driver;
beforeAll(async () => {
  driver = await startDriver();
});
afterAll(() => driver.close());

const reset = (reader: Reader) => driver.send('/sandbox/reset', undefined, reader);
const aheadOf = async (reader: Reader) => (await reader.get('/sandbox/clock')).body.aheadSeconds;

let organizations = 0;
/** Two clients of an organization that no other test has. */
async function twoClients(): Promise<[Reader, Reader]> {
  const organization = { organizationIdentifier: `PSDDK-DFSA-${3_000 + organizations++}` };
  const add = async () => {
    const client = await driver.running.addTpp(organization);
    await client.accounts();
    return client;
  };
  return [await add(), await add()];
}

/** The accounts and the transactions of the first one. */
async function stateOf(reader: Reader) {
  const accounts = await reader.accounts();
  const pending = (await reader.page(accounts[0]!.id)).pending.map(({ id }) => id);
  return { accounts, pending, posted: await reader.posted(accounts[0]!.id, { limit: 500 }) };
}

/** Posts, authorizes and advances the clock; nothing else happens to the account by itself. */
async function use(reader: Reader): Promise<void> {
  const { id } = (await reader.accounts())[0]!;
  const body = { amount: -12.5, currency: 'DKK' };
  expect((await driver.send(`/sandbox/accounts/${id}/postings`, body, reader)).status).toBe(201);
  const held = { ...body, ends: { outcome: 'settle', after: 'P30D' } };
  expect((await driver.send(`/sandbox/accounts/${id}/authorizations`, held, reader)).status).toBe(201);
  expect((await driver.advance('P3D', reader)).body.aheadSeconds).toBe(3 * DAY_S);
}

describe('POST /sandbox/reset (§Sandbox)', () => {
  it('starts accounts, transactions and clock over for all clients of the organization, and for no other', async () => {
    const [client, sibling] = await twoClients();
    const [stranger] = await twoClients();
    const initial = await stateOf(client);
    await use(client);
    await use(stranger);
    const [used, foreign] = [await stateOf(client), await stateOf(stranger)];
    expect(used).not.toEqual(initial);

    expect((await reset(sibling)).status).toBe(204);
    expect(await stateOf(client)).toEqual(initial);
    expect(await stateOf(sibling)).toEqual(initial);
    expect([await aheadOf(client), await aheadOf(sibling)]).toEqual([0, 0]);
    expect(await stateOf(stranger)).toEqual(foreign);
    expect(await aheadOf(stranger)).toBe(3 * DAY_S);
    const { clocks } = await driver.running.listMovedClocks();
    const leads = [client, sibling, stranger].map(
      ({ clientId }) => clocks.find((clock) => clock.clientId === clientId)?.offsetMilliseconds,
    );
    expect(leads).toEqual([0n, 0n, BigInt(3 * DAY_S) * 1_000n]);
    await use(client);
  });

  it('keeps the consents of users, and grants withdrawn automatic ones again', async () => {
    const [client] = await twoClients();
    const { clientId, accounts, ask } = await consentScene(driver.running, { clientId: client.clientId });
    const [brief, lasting] = [ask({ validUntil: inDays(2) }), ask({ validUntil: inDays(20) })];
    for (const asked of [brief, lasting]) await driver.running.createConsent(asked);
    const { consents } = await driver.running.listConsents(clientId);
    const automatic = consents.find(({ validUntil }) => validUntil === undefined)!;
    await driver.running.revokeConsent(automatic.consentId, automatic.userId);
    await driver.advance('P3D', client);

    expect((await reset(client)).status).toBe(204);
    const live = (await driver.running.listConsents(clientId)).consents;
    const idsOf = (of: typeof live) => of.map(({ consentId }) => consentId).toSorted();
    // The brief one ended by the clock, and stays ended.
    expect(idsOf(live)).toEqual(idsOf(consents).filter((id) => id !== brief.consentId));
    const { consent } = await driver.running.getConsent(lasting.consentId, clientId);
    expect(consent).toMatchObject({ accountIds: lasting.accountIds, validUntil: lasting.validUntil });
    expect(
      (
        await driver.running.getAccount(clientId, accounts[0]!.accountId, {
          consentId: lasting.consentId,
          role: 'PSP_AI',
        })
      ).accountId,
    ).toBe(accounts[0]!.accountId);
  });

  it('loses no posting of the same moment from the balance', async () => {
    const [client, sibling] = await twoClients();
    const { id } = (await client.accounts())[0]!;
    const post = (reader: Reader) =>
      driver.send(
        `/sandbox/accounts/${id}/postings`,
        { transactionId: randomUUID(), amount: 1, currency: 'DKK' },
        reader,
      );
    const [first, ...posted] = await Promise.all([
      reset(client),
      ...[client, sibling, client, sibling].map(post),
    ]);
    expect(first.status).toBe(204);
    expect(posted.map(({ status }) => status)).toEqual(posted.map(() => 201));
    const { rows } = await driver.running.pool.query<{ balance: string; sum: string }>(
      `SELECT balance, opening_balance + (
         SELECT sum(billing_amount) FROM transaction WHERE account_id = account.id AND status = 'financial'
       ) AS sum FROM account WHERE id = $1`,
      [id],
    );
    expect(rows[0]!.balance).toBe(rows[0]!.sum);
  });

  it('runs once at a time for an organization, and not behind another one', async () => {
    const [[client, sibling], [stranger]] = [await twoClients(), await twoClients()];
    const lock = await driver.running.pool.connect();
    try {
      await lock.query('BEGIN');
      await lock.query(
        `SELECT FROM sandbox_bank WHERE organization =
           (SELECT organization FROM sandbox_client WHERE client_id = $1) FOR UPDATE`,
        [client.clientId],
      );
      const resets = [reset(client), reset(sibling)];
      const refused = await Promise.race(resets);
      expect(refused).toMatchObject({ status: 503, body: { errorCode: 'UNAVAILABLE' } });
      expect(refused.headers.get('retry-after')).toBe('1');
      expect((await reset(stranger)).status).toBe(204);
      await lock.query('ROLLBACK');
      const statuses = (await Promise.all(resets)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([204, 503]));
      // The refused one does not count.
      const { rows } = await driver.running.pool.query<{ entries: string }>(
        'SELECT sum(entries) AS entries FROM sandbox_client WHERE client_id IN ($1, $2)',
        [client.clientId, sibling.clientId],
      );
      expect(rows).toEqual([{ entries: '1' }]);
    } finally {
      lock.release();
    }
  });

  it('is refused after ten in a minute, for the organization alone', async () => {
    const [[busy, sibling], [stranger]] = [await twoClients(), await twoClients()];
    // Refused ones count, too.
    await driver.running.pool.query('UPDATE sandbox_client SET entries = 10000 WHERE client_id = $1', [
      busy.clientId,
    ]);
    for (let time = 0; time < 10; time++) expect((await reset(busy)).status).toBe(409);
    const refused = await reset(sibling);
    expect(refused).toMatchObject({ status: 429, body: { errorCode: 'RATE_LIMITED' } });
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect((await reset(stranger)).status).toBe(204);
  });
});
