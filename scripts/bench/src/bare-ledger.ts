// A loop that books postings by plain statements, one transaction for each: account locked, transaction, balance, event.
// Arguments: how many, and the URL of a migrated database with accounts.
import { randomUUID } from 'node:crypto';
import { openPool } from '@kontoport/database';
import { inParallel } from './load.ts';

const [total, url] = process.argv.slice(2) as [string, string];
const CALLERS = 48;
const pool = openPool({ url, applicationName: 'bare', max: 10 });
const { rows: accounts } = await pool.query<{ id: string }>('SELECT id FROM account');

async function post(accountId: string): Promise<void> {
  const id = randomUUID();
  const now = new Date().toISOString();
  const client = await pool.connect();
  const run = (name: string, text: string, values: unknown[]) => client.query({ name, text, values });
  await client.query('BEGIN');
  const { rows } = await run('lock', 'SELECT balance FROM account WHERE id = $1 FOR NO KEY UPDATE', [
    accountId,
  ]);
  const balance = BigInt((rows[0] as { balance: string }).balance) - 100n;
  await run(
    'add',
    `INSERT INTO transaction (id, account_id, status, type, transaction_time, posting_time, billing_amount, balance_after,
       title, details)
     VALUES ($1, $2, 'financial', 'domesticCreditTransfer', $3, $3, -100, $4, 'Bench', '{"message":"A posting of the bench"}')`,
    [id, accountId, now, balance],
  );
  await run('move', 'UPDATE account SET balance = $2, last_posting_time = $3 WHERE id = $1', [
    accountId,
    balance,
    now,
  ]);
  await run(
    'tell',
    `INSERT INTO outbox (slot, topic, key, value, headers) VALUES (0, 'bare', $1, $2, '{"traceparent":"00-bare"}')`,
    [
      accountId,
      JSON.stringify({ ledgerPostingId: id, accountId, amount: '-1.00', currency: 'DKK', postingTime: now }),
    ],
  );
  await client.query('COMMIT');
  client.release();
}

const run = (count: number): Promise<void> =>
  inParallel(count, CALLERS, (index) => post(accounts[index % accounts.length]!.id));

await run(Number(total) / 4);
process.send!('warm');
await new Promise((resolve) => process.once('message', resolve));
await run(Number(total));
process.send!('done');
