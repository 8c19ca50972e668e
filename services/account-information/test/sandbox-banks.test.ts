import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { SANDBOX_IDS } from '../src/account-data/sandbox/sandbox-ids.ts';
import { SIMULATED } from './running.ts';
import { DAY_S, type Driver, startDriver } from './sandbox-driver.ts';

let driver: Driver;
beforeAll(async () => {
  driver = await startDriver();
});
afterAll(() => driver.close());

let organizations = 0;
/** Adds clients of an organization that no other test has. */
async function clientsOf(count: number) {
  const organizationIdentifier = `PSDDK-DFSA-${2_000 + organizations++}`;
  const add = () => driver.running.addTpp({ organizationIdentifier });
  const clients = [];
  while (clients.length < count) clients.push(await add());
  return { organizationIdentifier, add, clients: clients as [(typeof clients)[0], ...typeof clients] };
}

/** Counts the service's sessions that wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await driver.running.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'account-information%' AND wait_event_type = 'Lock'`,
  );
  return rows[0]!.count;
}

describe('the clients of an organization share a simulated bank (§Sandbox)', () => {
  it('with the same accounts and transactions, under the ids that are documented', async () => {
    const { organizationIdentifier, clients } = await clientsOf(2);
    const [one, other] = [clients[0], clients[1]!];
    const accounts = await one.accounts();
    expect(await other.accounts()).toEqual(accounts);
    const { id, ...main } = accounts.find(({ name }) => name === 'Lønkonto')!;
    expect(id).toBe(SANDBOX_IDS.account(organizationIdentifier, 'freja-main'));
    expect(main.bban).toBe('66950001234567');
    const posted = await one.posted(id, { limit: 500 });
    expect(await other.posted(id, { limit: 500 })).toEqual(posted);
    expect(posted.map((each) => each.id)).toContain(
      SANDBOX_IDS.transaction(organizationIdentifier, 'freja-main', 'coffee-1'),
    );
  });

  it('where the posting of one is visible to all, and all are its audience', async () => {
    const { clients } = await clientsOf(2);
    const [one, other] = [clients[0], clients[1]!];
    const accountId = await driver.idOf('Lønkonto', one);
    await other.accounts();
    const body = { transactionId: randomUUID(), amount: -12.5, currency: 'DKK', title: 'Shared' };
    expect((await driver.send(`/sandbox/accounts/${accountId}/postings`, body, one)).status).toBe(201);
    const { status } = await driver.send(`/sandbox/accounts/${accountId}/postings`, body, other);
    expect(status).toBe(201);
    const { posted } = await other.page(accountId, { limit: 1 });
    expect(posted[0]).toMatchObject({ id: body.transactionId, title: 'Shared' });
    const [event] = await driver.eventsOf(body.transactionId);
    expect((event!.audience as string[]).toSorted()).toEqual([one.clientId, other.clientId].toSorted());
  });

  it('with one clock, also for a client that joins later', async () => {
    const { clients, add } = await clientsOf(2);
    const [one, other] = [clients[0], clients[1]!];
    await other.accounts();
    expect((await driver.advance('P1D', one)).body.aheadSeconds).toBe(DAY_S);
    expect((await driver.advance('P1D', other)).body.aheadSeconds).toBe(2 * DAY_S);
    expect((await one.get('/sandbox/clock')).body.aheadSeconds).toBe(2 * DAY_S);
    const late = await add();
    expect((await late.get('/sandbox/clock')).body.aheadSeconds).toBe(2 * DAY_S);
    const { clocks } = await driver.running.listMovedClocks();
    for (const { clientId } of [one, other, late])
      expect(clocks.find((clock) => clock.clientId === clientId)).toMatchObject({
        offsetMilliseconds: BigInt(2 * DAY_S) * 1_000n,
      });
    const stranger = await driver.running.addTpp();
    expect((await stranger.get('/sandbox/clock')).body.aheadSeconds).toBe(0);
  });

  it('with a clock whose move no reader misses, also when a later move commits first (gRPC ListMovedClocks)', async () => {
    const { clients } = await clientsOf(2);
    const [mover, member] = [clients[0], clients[1]!];
    const other = await driver.running.addTpp();
    for (const reader of [mover, member, other]) await reader.accounts();
    const lock = await driver.running.pool.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT FROM sandbox_client WHERE client_id = $1 FOR UPDATE', [member.clientId]);
    const first = driver.advance('P1D', mover);
    await until(async () => (await waiting()) === 1, { what: 'the first move to wait' });
    await driver.advance('P1D', other);
    const { clocks } = await driver.running.listMovedClocks();
    expect(clocks.map(({ clientId }) => clientId)).toContain(other.clientId);
    await lock.query('COMMIT');
    lock.release();
    expect((await first).status).toBe(200);
    const later = await driver.running.listMovedClocks(clocks.at(-1)!.movedAt);
    expect(later.clocks.map(({ clientId }) => clientId)).toEqual(
      expect.arrayContaining([mover.clientId, member.clientId]),
    );
  });

  it('whose ids open nothing to another organization', async () => {
    const { organizationIdentifier, clients } = await clientsOf(1);
    const [posted] = (await clients[0].page(await driver.idOf('Lønkonto', clients[0]), { limit: 1 })).posted;
    const stranger = await driver.running.addTpp();
    await stranger.accounts();
    const id = SANDBOX_IDS.account(organizationIdentifier, 'freja-main');
    expect(posted!.accountId).toBe(id);
    for (const path of [
      `/accounts/${id}/transactions`,
      `/accounts/${id}/transactions/${posted!.id}`,
      `/v2/accounts/${id}/transactions`,
    ])
      expect(await stranger.refusal(path)).toMatchObject({ status: 404, errorCode: 'RESOURCE_UNKNOWN' });
    const body = { amount: 1, currency: 'DKK' };
    expect((await driver.send(`/sandbox/accounts/${id}/postings`, body, stranger)).status).toBe(404);
  });
});

describe('a new registration of an organization (§Sandbox)', () => {
  it('finds the state that its other clients left', async () => {
    const { clients, add } = await clientsOf(2);
    const [leaving, staying] = [clients[0], clients[1]!];
    const accountId = await driver.idOf('Lønkonto', leaving);
    await staying.accounts();
    await driver.send(`/sandbox/accounts/${accountId}/postings`, { amount: -1, currency: 'DKK' }, leaving);
    driver.running.peers.deleteTpp(leaving.tpp);
    expect(await (await add()).accounts()).toEqual(await staying.accounts());
  });

  it('after the last was deleted, finds the same ids in their initial state', async () => {
    const { clients, add } = await clientsOf(1);
    const [leaving] = clients;
    const accounts = await leaving.accounts();
    const { id } = accounts[0]!;
    const ids = async (reader: typeof leaving) =>
      (await reader.posted(id, { limit: 500 })).map((transaction) => transaction.id);
    const before = await ids(leaving);
    await driver.send(`/sandbox/accounts/${id}/postings`, { amount: -1, currency: 'DKK' }, leaving);
    await driver.advance('P3D', leaving);
    driver.running.peers.deleteTpp(leaving.tpp);
    const [next, twin] = [await add(), await add()];
    const [found] = await Promise.all([next.accounts(), twin.accounts()]);
    expect(found).toEqual(accounts);
    expect(await ids(next)).toEqual(before);
    expect((await next.get('/sandbox/clock')).body.aheadSeconds).toBe(0);
    expect(await twin.accounts()).toEqual(found);
  });
});

describe('a bank that an earlier version created', () => {
  it('opens the accounts that it has to a client that joins', async () => {
    const { organizationIdentifier, clients, add } = await clientsOf(1);
    const before = await clients[0].accounts();
    const added = SANDBOX_IDS.account(organizationIdentifier, 'overdrawn-main');
    await driver.running.pool.query('DELETE FROM account WHERE id = $1', [added]);
    expect(await (await add()).accounts()).toEqual(before.filter(({ id }) => id !== added));
  });
});

describe('data that version 0.1 created for a client', () => {
  it('is replaced by the bank of its organization on the next use', async () => {
    const { clients } = await clientsOf(1);
    const [{ clientId, accounts }] = clients;
    const own = randomUUID();
    await driver.running.pool.query('INSERT INTO sandbox_client (client_id) VALUES ($1)', [clientId]);
    await driver.running.pool.query(
      `WITH made AS (
         INSERT INTO account (id, user_id, position, name, type, currency, bban, balance, reserved, supports_payments, supports_transfers)
         VALUES ($2, gen_random_uuid(), 0, 'Own', 'CHECKING', 'DKK', '66950001234567', 0, 0, true, true) RETURNING id
       ), owned AS (INSERT INTO sandbox_account (account_id, client_id) SELECT id, $1 FROM made
       ), granted AS (INSERT INTO consent (id, client_id, user_id, roles, granted_at)
         VALUES (gen_random_uuid(), $1, gen_random_uuid(), '{PSP_AI}', now()) RETURNING id)
       INSERT INTO consent_account SELECT granted.id, made.id FROM granted, made`,
      [clientId, own],
    );
    const listed = await accounts();
    expect(listed).toHaveLength(SIMULATED.open);
    expect(listed.map(({ id }) => id)).not.toContain(own);
    const { rows } = await driver.running.pool.query('SELECT FROM account WHERE id = $1', [own]);
    expect(rows).toEqual([]);
  });
});
