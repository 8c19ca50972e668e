import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { openPool } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import { type IngestResponse, LedgerServiceClient } from '@kontoport/proto/accounts/v1';
import { openBank } from './bench-bank.ts';
import { cpuSeconds, familySeconds, memoryMb, parentOf, spread } from './figures.ts';
import { addAccounts, postingOn } from './ledger.ts';

const ACCOUNTS = 1_000;
const TRANSACTIONS = Number(process.env.BENCH_TRANSACTIONS ?? 30_000);
const MESSAGE = 200;
const ROUNDS = 3;

/** Ingest: transactions a second until the last event has left, beside COPY of the same rows into an equal table. */
export async function benchIngest(): Promise<void> {
  const bank = await openBank();
  try {
    const url = await bank.database('account-information');
    const { process: service, grpcAddress } = await bank.start('account-information', url);
    const pool = openPool({ url, applicationName: 'bench', max: 1 });
    await pool.query('SET statement_timeout = 0');
    const accounts = await addAccounts(pool, ACCOUNTS);
    const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const server = parentOf(rows[0]!.pid);
    const client = new LedgerServiceClient(grpcAddress, credentials.createInsecure());
    await stream(client, { accounts, transactions: 20_000 });
    const figures = {
      rate: [] as number[],
      perCpu: [] as number[],
      service: [] as number[],
      postgres: [] as number[],
    };
    const [copies, ratios, memory] = [[] as number[], [] as number[], [] as number[]];
    for (let round = 0; round < ROUNDS; round++) {
      await pool.query('TRUNCATE transaction CASCADE');
      const before = [cpuSeconds(service.pid), familySeconds(server)] as const;
      const started = performance.now();
      await stream(client, { accounts, transactions: TRANSACTIONS });
      await until(async () => (await pool.query('SELECT FROM outbox LIMIT 1')).rowCount === 0, {
        what: 'the outbox to be empty',
        timeout: 600_000,
      });
      const seconds = (performance.now() - started) / 1_000;
      const [own, postgres] = [cpuSeconds(service.pid) - before[0], familySeconds(server) - before[1]];
      figures.rate.push(TRANSACTIONS / seconds);
      figures.perCpu.push(TRANSACTIONS / (own + postgres));
      figures.service.push((own / TRANSACTIONS) * 1e6);
      figures.postgres.push((postgres / TRANSACTIONS) * 1e6);
      memory.push(memoryMb(service.pid).resident);
      copies.push(await copyRate(pool));
      ratios.push(figures.rate.at(-1)! / copies.at(-1)!);
    }
    console.log(`  ${TRANSACTIONS} postings on ${ACCOUNTS} accounts, ${MESSAGE} in a message`);
    console.log(
      `  Ingest  ${spread(figures.rate)}/s until the last event has left, client and broker on the same machine`,
    );
    console.log(
      `  Ingest  ${spread(figures.perCpu)} per CPU-s of service, relay and PostgreSQL; µs each: service ${spread(figures.service)}, PostgreSQL ${spread(figures.postgres)}; two such cores: ${spread(figures.perCpu.map((each) => 2 * each))}/s, goal 10000`,
    );
    console.log(
      `  Ingest  MB of the service after each round: ${memory.map((each) => each.toFixed(0)).join(', ')}`,
    );
    console.log(
      `  COPY    ${spread(copies)}/s of the same rows into an equal table, no decision and no event`,
    );
    console.log(`  ratio   ${spread(ratios, 2)}`);
    client.close();
    await pool.end();
  } finally {
    await bank.close();
  }
}

/** One stream of postings; resolves when all are answered. */
async function stream(
  client: LedgerServiceClient,
  { accounts, transactions }: { accounts: readonly string[]; transactions: number },
): Promise<void> {
  const call = client.ingest();
  let answered = 0;
  call.on('data', ({ results }: IngestResponse) => {
    answered += results.length;
    const refused = results.find(({ refusal }) => refusal !== undefined);
    if (refused) call.destroy(new Error(refused.refusal!.message));
  });
  const ended = once(call, 'end');
  for (let first = 0; first < transactions; first += MESSAGE) {
    const entries = Array.from({ length: MESSAGE }, (_, at) => ({
      number: BigInt(first + at + 1),
      entry: {
        $case: 'post' as const,
        value: {
          ...postingOn(accounts[(first + at) % accounts.length]!),
          reference: '',
          transactionId: randomUUID(),
        },
      },
    }));
    if (!call.write({ entries })) await once(call, 'drain');
  }
  call.end();
  await ended;
  if (answered !== transactions) throw new Error(`${answered} of ${transactions} answered`);
}

/** Rows a second of the transactions there are, into a table with the same indexes and constraints. */
async function copyRate(pool: ReturnType<typeof openPool>): Promise<number> {
  await pool.query('SET statement_timeout = 0');
  const file = join(tmpdir(), `kontoport-bench-${randomUUID()}`);
  const columns =
    'id, account_id, status, type, transaction_time, posting_time, billing_amount, transaction_amount, transaction_currency, balance_after, title, details';
  await pool.query(`COPY (SELECT ${columns} FROM transaction) TO '${file}'`);
  await pool.query(
    'CREATE TABLE copied (LIKE transaction INCLUDING ALL, FOREIGN KEY (account_id) REFERENCES account)',
  );
  const started = performance.now();
  const { rowCount } = await pool.query(`COPY copied (${columns}) FROM '${file}'`);
  const seconds = (performance.now() - started) / 1_000;
  await pool.query('DROP TABLE copied');
  await rm(file, { force: true });
  return rowCount! / seconds;
}
