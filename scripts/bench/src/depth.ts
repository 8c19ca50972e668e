import { randomBytes } from 'node:crypto';
import { openPool } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import { runSql } from '@kontoport/testing/postgres';
import { createCursors } from '../../../services/account-information/src/transactions/cursor.ts';
import { openBank } from './bench-bank.ts';
import { median, memoryMb, percentile, spread } from './figures.ts';
import { latenciesOfWindow, type Target, WINDOW_MS } from './throughput.ts';

const ROUNDS = 5;
const ROWS = { inAll: 5_000_000, ofAccount: 1_250_000 };
const DEPTH = 1_000_000;
const LIMIT = 100;
const GOAL = 1.2;

/** The V2 list and the flat list far down in an account, in a table of five million transactions. */
export async function benchDepth(): Promise<void> {
  const bank = await openBank();
  try {
    const url = await bank.database('account-information');
    const key = randomBytes(32);
    const service = await bank.start('account-information', url, { SECRETS_KEY: key.toString('base64url') });
    const tpp = await bank.peers.addTpp();
    const headers = await tpp.headers();
    const { accounts } = (await until(
      async () => {
        const response = await fetch(`${service.origin}/accounts`, { headers });
        return response.ok ? response.json() : undefined;
      },
      { what: 'the accounts of the new client' },
    )) as { accounts: { id: string }[] };
    const [own, ...others] = accounts.map(({ id }) => id) as [string, ...string[]];
    await grow(url, own, others);
    const pool = openPool({ url, applicationName: 'bench' });
    const { rows } = await pool.query<{ id: string; posting_time: Date }>(
      `SELECT id, posting_time FROM transaction WHERE account_id = $1 AND status = 'financial'
       ORDER BY posting_time DESC, id DESC LIMIT 1 OFFSET ${DEPTH - 1}`,
      [own],
    );
    await pool.end();

    const [{ id, posting_time: postingTime }] = rows as [(typeof rows)[0]];
    const sequence = { clientId: tpp.clientId, accountId: own, limit: LIMIT, from: undefined, to: undefined };
    const cursor = createCursors([key]).issue({ postingTime: postingTime.toISOString(), id }, sequence);
    const target = (path: string): Target => ({ origin: service.origin, method: 'GET', path, headers });
    const v2 = `/v2/accounts/${own}/transactions?limit=${LIMIT}`;
    const first = target(v2);
    const deep = target(`${v2}&cursor=${cursor}`);
    const flat = target(`/accounts/${own}/transactions?limit=${LIMIT}&offset=${DEPTH}`);

    await latenciesOfWindow(first);
    await latenciesOfWindow(deep);
    const memory = [memoryMb(service.process.pid).resident];
    const measured = { first: [] as number[][], deep: [] as number[][] };
    for (let round = 0; round < ROUNDS; round++) {
      measured.first.push(await latenciesOfWindow(first));
      measured.deep.push(await latenciesOfWindow(deep));
      memory.push(memoryMb(service.process.pid).resident);
    }
    const ratios = measured.first.map((answers, round) => answers.length / measured.deep[round]!.length);
    tell('first page of 100', measured.first);
    tell('at depth 1,000,000', measured.deep);
    console.log(
      `  first / deep           ${spread(ratios, 2)}; goal at most ${GOAL}: ${median(ratios) <= GOAL ? 'met' : 'missed'}`,
    );
    tell('flat, offset 1,000,000', [await latenciesOfWindow(flat)]);
    console.log(
      `  memory                 ${memory.map((mb) => mb.toFixed(0)).join(', ')} MB resident, round by round`,
    );
  } finally {
    await bank.close();
  }
}

function tell(what: string, rounds: readonly (readonly number[])[]): void {
  const rates = rounds.map((answers) => answers.length / (WINDOW_MS / 1_000));
  const all = rounds.flat();
  console.log(
    `  ${what.padEnd(22)} ${spread(rates)} requests/s; p50 ${percentile(all, 50).toFixed(1)} ms, p99 ${percentile(all, 99).toFixed(1)} ms`,
  );
}

/** Fills the table: the account in question beyond the depth, and others around it. Indexes and keys come afterwards. */
async function grow(url: string, own: string, others: readonly string[]): Promise<void> {
  const started = performance.now();
  const insert = (accounts: readonly string[], from: number, count: number): string =>
    `INSERT INTO transaction (id, account_id, status, type, transaction_time, posting_time, billing_amount,
       transaction_amount, transaction_currency, balance_after, title, details)
     SELECT gen_random_uuid(), ('{${accounts.join(',')}}'::uuid[])[1 + n % ${accounts.length}], 'financial', 'card', at, at,
       -1000 - n % 5000, -1000 - n % 5000, 'DKK', 1000000, 'Torvets Købmand',
       '{"cardTransactionInfo":{"merchantName":"Torvets Købmand","merchantCategoryCode":5411,"cardEntryMode":"contactless"}}'
     FROM (SELECT n, '2024-01-01Z'::timestamptz - n * interval '7 seconds' AS at
           FROM generate_series(${from}, ${from + count - 1}) AS n) AS row`;
  const pool = openPool({ url, applicationName: 'bench', max: 1 });
  const { rows: indexes } = await pool.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = 'transaction'::regclass AND NOT indisprimary`,
  );
  const { rows: keys } = await pool.query<{ table: string; name: string; definition: string }>(
    `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE 'transaction'::regclass IN (conrelid, confrelid) AND contype IN ('p', 'f') ORDER BY contype DESC`,
  );
  await pool.end();
  await runSql(
    url,
    "SET maintenance_work_mem = '1GB'",
    ...keys.toReversed().map(({ table, name }) => `ALTER TABLE ${table} DROP CONSTRAINT ${name}`),
    ...indexes.map(({ name }) => `DROP INDEX ${name}`),
    insert([own], 0, ROWS.ofAccount),
    insert(others, ROWS.ofAccount, ROWS.inAll - ROWS.ofAccount),
    ...indexes.map(({ definition }) => definition),
    ...keys.map(({ table, name, definition }) => `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`),
    'VACUUM (ANALYZE) transaction',
  );
  const seconds = (performance.now() - started) / 1_000;
  console.log(
    `  ${ROWS.inAll} transactions, ${ROWS.ofAccount} of one account, made in ${seconds.toFixed(0)} s`,
  );
}
