import { inTransaction } from '@kontoport/database';
import { untilReady } from '@kontoport/embedded/until-ready';
import { until } from '@kontoport/embedded/wait';
import { createLogger } from '@kontoport/lifecycle';
import { startInProcess } from '@kontoport/service';
import { moveClock } from '../src/sandbox/clock.repository.ts';
import { sweepClients } from '../src/sandbox/sweep-clients.ts';
import { accountInformation } from '../src/service.ts';
import { type Reader, type Running, SIMULATED, startAccountInformation } from './running.ts';

let running: Running;
beforeAll(async () => {
  running = await startAccountInformation();
});
afterAll(() => running.close());

const TABLES = ['account', 'transaction', 'consent', 'consent_account', 'sandbox_account', 'sandbox_due'];

/** Counts the rows of every table: those of the client itself, and of the accounts of its organization. */
async function rowsOf(reader: Reader): Promise<Record<string, number>> {
  const { rows } = await running.pool.query<Record<string, string>>(
    `SELECT (SELECT count(*) FROM sandbox_account WHERE account_id = ANY ($2::uuid[])) AS sandbox_account,
       (SELECT count(*) FROM account WHERE id = ANY ($2::uuid[])) AS account,
       (SELECT count(*) FROM transaction WHERE account_id = ANY ($2::uuid[])) AS transaction,
       (SELECT count(*) FROM consent WHERE client_id = $1) AS consent,
       (SELECT count(*) FROM consent_account JOIN consent ON consent.id = consent_id
        WHERE client_id = $1 AND account_id = ANY ($2::uuid[])) AS consent_account,
       (SELECT count(*) FROM sandbox_due WHERE account_id = ANY ($2::uuid[])) AS sandbox_due`,
    [reader.clientId, accountsOf.get(reader)],
  );
  return Object.fromEntries(TABLES.map((table) => [table, Number(rows[0]![table])]));
}

const accountsOf = new Map<Reader, string[]>();

/** A client whose accounts exist. */
async function present(options?: { organizationIdentifier: string }): Promise<Reader> {
  const reader = await running.addTpp(options);
  await reader.accounts();
  const { rows } = await running.pool.query<{ id: string }>(
    `SELECT account_id AS id FROM sandbox_account JOIN sandbox_client USING (organization)
     WHERE sandbox_client.client_id = $1`,
    [reader.clientId],
  );
  accountsOf.set(
    reader,
    rows.map(({ id }) => id),
  );
  return reader;
}

const noted = (reader: Reader) =>
  until(async () => (await stateOf(reader))?.deleted_at != null, { what: 'the deletion to be noted' });

async function stateOf({ clientId }: Reader) {
  const { rows } = await running.pool.query<{ deleted_at: Date | null; swept_at: Date | null }>(
    'SELECT deleted_at, swept_at FROM sandbox_client WHERE client_id = $1',
    [clientId],
  );
  return rows[0];
}

const age = (reader: Reader, by: string) =>
  running.pool.query(
    'UPDATE sandbox_client SET deleted_at = deleted_at - $2::interval WHERE client_id = $1',
    [reader.clientId, by],
  );

/** Runs the loop of another replica until `done`. */
async function sweep(done: () => Promise<boolean>): Promise<void> {
  const loop = sweepClients({
    db: { pool: running.pool, query: running.pool.query.bind(running.pool) } as never,
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  loop.start();
  try {
    await until(done, { what: 'the sweep' });
  } finally {
    await loop.close();
  }
}

const swept = (reader: Reader) => async () => (await stateOf(reader))?.swept_at != null;

describe('the data of a deleted client is deleted 25 hours later (§Sandbox)', () => {
  it('with the accounts of its organization, and nothing of others', async () => {
    const [gone, early, neighbour] = [await present(), await present(), await present()];
    const [account] = await neighbour.accounts();
    const before = await rowsOf(neighbour);
    expect(before).toMatchObject({
      account: SIMULATED.stored,
      sandbox_due: 4,
      consent: SIMULATED.consents,
    });
    running.peers.deleteTpp(gone.tpp);
    running.peers.deleteTpp(early.tpp);
    await noted(gone);
    await noted(early);
    await age(gone, '25 hours 1 second');
    await age(early, '24 hours 59 minutes');
    await sweep(swept(gone));
    expect(await rowsOf(gone)).toEqual(Object.fromEntries(TABLES.map((table) => [table, 0])));
    expect((await stateOf(early))!.swept_at).toBeNull();
    expect(await rowsOf(early)).toEqual(before);
    expect(await rowsOf(neighbour)).toEqual(before);
    expect((await neighbour.accounts())[0]).toEqual(account);
  });

  it('without the accounts of its organization while another client uses them, and with them after the last', async () => {
    const organizationIdentifier = 'PSDDK-DFSA-1003';
    const [gone, sibling] = [
      await present({ organizationIdentifier }),
      await present({ organizationIdentifier }),
    ];
    const before = await rowsOf(sibling);
    const accounts = await sibling.accounts();
    running.peers.deleteTpp(gone.tpp);
    await noted(gone);
    await age(gone, '26 hours');
    await sweep(swept(gone));
    expect(await rowsOf(gone)).toMatchObject({ consent: 0, consent_account: 0, account: SIMULATED.stored });
    expect(await rowsOf(sibling)).toEqual(before);
    expect(await sibling.accounts()).toEqual(accounts);
    running.peers.deleteTpp(sibling.tpp);
    await noted(sibling);
    await age(sibling, '26 hours');
    await sweep(swept(sibling));
    expect(await rowsOf(sibling)).toEqual(Object.fromEntries(TABLES.map((table) => [table, 0])));
    const { rows } = await running.pool.query('SELECT FROM sandbox_bank WHERE organization = $1', [
      organizationIdentifier,
    ]);
    expect(rows).toEqual([]);
  });

  it('while another client of its organization advances its clock', async () => {
    const organizationIdentifier = 'PSDDK-DFSA-1004';
    const [gone, sibling] = [
      await present({ organizationIdentifier }),
      await present({ organizationIdentifier }),
    ];
    running.peers.deleteTpp(gone.tpp);
    await noted(gone);
    await inTransaction(running.pool, async (sweeping) => {
      // The sweep locks its client first and the bank second; the clock locks the bank first.
      await sweeping.query('SELECT FROM sandbox_client WHERE client_id = $1 FOR UPDATE', [gone.clientId]);
      const clock = await inTransaction(running.pool, async (moving) => {
        await moving.query(`SET LOCAL lock_timeout = '5s'`);
        return moveClock(moving, sibling as never, { byMs: 1_000, mostMs: 3_600_000 });
      });
      expect(clock?.offsetMs).toBe(1_000);
    });
  });

  it('and is not created again, also for a client that had none when it was deleted', async () => {
    const [gone, never] = [await present(), await running.addTpp()];
    for (const { tpp } of [gone, never]) running.peers.deleteTpp(tpp);
    await noted(gone);
    await noted(never);
    await age(gone, '26 hours');
    await sweep(swept(gone));
    for (const { clientId } of [gone, never])
      expect(await running.listConsents(clientId)).toEqual({ consents: [] });
    expect(await rowsOf(gone)).toEqual(Object.fromEntries(TABLES.map((table) => [table, 0])));
  });

  it('and the row of the client 60 days after that', async () => {
    const [old, recent] = [await present(), await present()];
    for (const reader of [old, recent])
      await running.pool.query(
        `UPDATE sandbox_client SET deleted_at = now() - interval '70 days', swept_at = now() - $2::interval WHERE client_id = $1`,
        [reader.clientId, reader === old ? '60 days 1 second' : '59 days 23 hours'],
      );
    await sweep(async () => (await stateOf(old)) === undefined);
    expect(await stateOf(recent)).toBeDefined();
  });

  it('also when the client was deleted while the service was down', async () => {
    const reader = await present();
    await running.stopService();
    running.peers.deleteTpp(reader.tpp);
    expect((await stateOf(reader))!.deleted_at).toBeNull();
    const again = await startInProcess(accountInformation, running.env);
    try {
      await untilReady({ name: 'the service', opsPort: again.opsPort, limitMs: 60_000 });
      await noted(reader);
    } finally {
      await again.close();
    }
  });
});
