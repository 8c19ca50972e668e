import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { openPool } from '@kontoport/database';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { type IngestResponse, LedgerServiceClient } from '@kontoport/proto/accounts/v1';
import { openBank } from './bench-bank.ts';
import { memoryMb } from './figures.ts';
import { addAccounts, postingOn } from './ledger.ts';

const PROGRAM = join(import.meta.dirname, '../../kontoport/kontoport.mjs');
const TRANSACTIONS = Number(process.env.BENCH_TRANSACTIONS ?? 1_000_000);
const STREAM_BYTES = Number(process.env.BENCH_BYTES ?? 1e9);
const HOURS = 3_600_000;

/** A million rows through `kontoport feed`, both sides killed on the way; a stream of 1 GB with a bad row in the middle. */
export async function benchFeed(): Promise<void> {
  const bank = await openBank();
  try {
    await feedFile(bank);
    await feedStream(bank);
  } finally {
    await bank.close();
  }
}

type Bank = Awaited<ReturnType<typeof openBank>>;

/** What the service has in memory at its most, in MB. */
function watchMemory(pid: () => number) {
  const samples: number[] = [];
  const timer = setInterval(() => samples.push(memoryMb(pid()).resident), 1_000);
  return () => {
    clearInterval(timer);
    const at = (share: number): string => (samples[Math.floor((samples.length - 1) * share)] ?? 0).toFixed(0);
    return `${at(0.25)}, ${at(0.5)}, ${at(0.75)}, ${at(1)} MB after each quarter, at most ${Math.max(...samples).toFixed(0)}`;
  };
}

async function feedFile(bank: Bank): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-bench-'));
  const file = join(folder, 'bank');
  const url = await bank.database('account-information');
  const ports = { GRPC_PORT: String(await freePort()), OPS_PORT: String(await freePort()) };
  const address = `127.0.0.1:${ports.GRPC_PORT}`;
  let { process: service } = await bank.start('account-information', url, ports);
  const pool = openPool({ url, applicationName: 'bench', max: 1 });
  const feed = (...options: string[]) =>
    spawn(process.execPath, [PROGRAM, 'feed', file, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
  const line = (): number =>
    existsSync(`${file}.state`)
      ? (JSON.parse(readFileSync(`${file}.state`, 'utf8')) as { line: number }).line
      : 0;
  try {
    await once(feed('--make', String(TRANSACTIONS)), 'exit');
    console.log(`  a file of ${TRANSACTIONS} transactions, ${(statSync(file).size / 1e6).toFixed(0)} MB`);
    const memory = watchMemory(() => service.pid);
    const started = performance.now();
    const first = feed('--address', address);
    const gone = once(first, 'exit');
    await until(() => line() > TRANSACTIONS / 3, { what: 'a third', timeout: HOURS });
    first.kill('SIGKILL');
    await gone;
    const at = line();
    const second = feed('--address', address);
    const ended = once(second, 'exit');
    await until(() => line() > (2 * TRANSACTIONS) / 3, { what: 'two thirds', timeout: HOURS });
    await service.kill('SIGKILL');
    ({ process: service } = await bank.start('account-information', url, ports));
    const [status] = (await ended) as [number | null];
    const seconds = (performance.now() - started) / 1_000;
    const books = await booksOf(pool);
    console.log(
      `  kontoport feed, killed at line ${at}, the ledger at two thirds: exit ${status}, ${books.count} booked, balances ${books.even ? 'even' : 'NOT even'}; ${(TRANSACTIONS / seconds).toFixed(0)}/s, both ends and starts included`,
    );
    console.log(`  service: ${memory()}`);
  } finally {
    await service.kill();
    await pool.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How many transactions are booked, and whether balances are what was booked; account by account. */
async function booksOf(pool: ReturnType<typeof openPool>): Promise<{ count: number; even: boolean }> {
  const books = { count: 0, even: true };
  const { rows: accounts } = await pool.query<{ id: string; moved: string }>(
    'SELECT id, balance - opening_balance + reserved AS moved FROM account',
  );
  for (const { id, moved } of accounts) {
    const { rows } = await pool.query<{ count: number; sum: string }>(
      `SELECT count(*)::int AS count, coalesce(sum(billing_amount), 0) AS sum FROM transaction
       WHERE account_id = $1 AND status = 'financial'`,
      [id],
    );
    books.count += rows[0]!.count;
    books.even &&= rows[0]!.sum === moved;
  }
  return books;
}

/** Entries as large as they may be; the one in the middle is bad. */
async function feedStream(bank: Bank): Promise<void> {
  const url = await bank.database('account-information');
  const { process: service, grpcAddress } = await bank.start('account-information', url);
  const pool = openPool({ url, applicationName: 'bench', max: 1 });
  const accounts = await addAccounts(pool, 200);
  const client = new LedgerServiceClient(grpcAddress, credentials.createInsecure());
  const additionalInformation = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`key${at}`, 'x'.repeat(256)]),
  );
  const message = 'm'.repeat(1_000);
  const bytes = 20 * 266 + 2 * 1_000;
  const count = Math.ceil(STREAM_BYTES / bytes);
  const bad = count >> 1;
  const memory = watchMemory(() => service.pid);
  const started = performance.now();
  const call = client.ingest();
  const refused: bigint[] = [];
  let answered = 0;
  call.on('data', ({ results }: IngestResponse) => {
    answered += results.length;
    for (const { number, refusal } of results) if (refusal !== undefined) refused.push(number);
  });
  const ended = once(call, 'end');
  for (let number = 1; number <= count; number += 100) {
    const entries = Array.from({ length: Math.min(100, count - number + 1) }, (_, at) => ({
      number: BigInt(number + at),
      entry: {
        $case: 'post' as const,
        value: {
          ...postingOn(accounts[(number + at) % accounts.length]!),
          transactionId: randomUUID(),
          requireFunds: false,
          message,
          additionalInformation,
          ...(number + at === bad ? { type: 'none' } : {}),
        },
      },
    }));
    if (!call.write({ entries })) await once(call, 'drain');
  }
  call.end();
  await ended;
  const seconds = (performance.now() - started) / 1_000;
  const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM transaction');
  console.log(
    `  a stream of ${((count * bytes) / 1e9).toFixed(2)} GB, ${count} entries: ${answered} answered, refused ${refused.join(', ')} (bad was ${bad}), ${rows[0]!.count} booked; ${(count / seconds).toFixed(0)}/s, ${((count * bytes) / 1e6 / seconds).toFixed(0)} MB/s`,
  );
  console.log(`  service: ${memory()}`);
  client.close();
  await pool.end();
  await service.kill();
}
