import { untilReady } from '@kontoport/embedded/until-ready';
import { until } from '@kontoport/embedded/wait';
import { createLogger } from '@kontoport/lifecycle';
import { startInProcess } from '@kontoport/service';
import { sweepCopies } from '../src/sandbox/sweep-copies.ts';
import { accountInformation } from '../src/service.ts';
import { type Reader, type Running, startAccountInformation } from './running.ts';

let running: Running;
beforeAll(async () => {
  running = await startAccountInformation();
});
afterAll(() => running.close());

const TABLES = ['account', 'transaction', 'consent', 'consent_account', 'sandbox_account', 'sandbox_due'];

/** Rows of every table by client; an account's transactions and openings count for whose copy it is. */
async function rowsOf(reader: Reader): Promise<Record<string, number>> {
  const { rows } = await running.pool.query<Record<string, string>>(
    `WITH own AS (SELECT account_id FROM sandbox_account WHERE client_id = $1)
     SELECT (SELECT count(*) FROM own) AS sandbox_account,
       (SELECT count(*) FROM account WHERE id = ANY ($2::uuid[])) AS account,
       (SELECT count(*) FROM transaction WHERE account_id = ANY ($2::uuid[])) AS transaction,
       (SELECT count(*) FROM consent WHERE client_id = $1) AS consent,
       (SELECT count(*) FROM consent_account WHERE account_id = ANY ($2::uuid[])) AS consent_account,
       (SELECT count(*) FROM sandbox_due WHERE client_id = $1) AS sandbox_due`,
    [reader.clientId, accountsOf.get(reader)],
  );
  return Object.fromEntries(TABLES.map((table) => [table, Number(rows[0]![table])]));
}

const accountsOf = new Map<Reader, string[]>();

/** A client whose copy is there. */
async function present(): Promise<Reader> {
  const reader = await running.addTpp();
  await reader.accounts();
  const { rows } = await running.pool.query<{ id: string }>(
    'SELECT account_id AS id FROM sandbox_account WHERE client_id = $1',
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

/** What another replica would do, now. */
async function sweep(done: () => Promise<boolean>): Promise<void> {
  const loop = sweepCopies({
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

describe('the copy of a deleted client goes 25 hours later (§Sandbox)', () => {
  it('as a whole, with what others may not lose left alone', async () => {
    const [gone, early, neighbour] = [await present(), await present(), await present()];
    const [account] = await neighbour.accounts();
    const before = await rowsOf(neighbour);
    expect(before).toMatchObject({ account: 7, sandbox_due: 4, consent: 5 });
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

  it('and none is made again, also for a client that had none when it was deleted', async () => {
    const [gone, never] = [await present(), await running.addTpp()];
    for (const { tpp } of [gone, never]) running.peers.deleteTpp(tpp);
    await noted(gone);
    await noted(never);
    await age(gone, '26 hours');
    await sweep(swept(gone));
    for (const { clientId } of [gone, never])
      expect(await running.listConsents(clientId)).toEqual({ consents: [] });
    const { rows } = await running.pool.query('SELECT FROM sandbox_account WHERE client_id = ANY ($1)', [
      [gone.clientId, never.clientId],
    ]);
    expect(rows).toEqual([]);
  });

  it('and the note of it 60 days after that', async () => {
    const [old, recent] = [await present(), await present()];
    for (const reader of [old, recent])
      await running.pool.query(
        `UPDATE sandbox_client SET deleted_at = now() - interval '70 days', swept_at = now() - $2::interval WHERE client_id = $1`,
        [reader.clientId, reader === old ? '60 days 1 second' : '59 days 23 hours'],
      );
    await sweep(async () => (await stateOf(old)) === undefined);
    expect(await stateOf(recent)).toBeDefined();
  });

  it('also when it was deleted while the service was down', async () => {
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
