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
import { checkouts } from './checkout.ts';
import { cpuSeconds, familySeconds, memoryMb, parentOf, spread } from './figures.ts';
import { addAccounts, postingOn } from './ledger.ts';

const ACCOUNTS = 1_000;
const TRANSACTIONS = Number(process.env.BENCH_TRANSACTIONS ?? 30_000);
const MESSAGE = 200;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);

type Side = Awaited<ReturnType<typeof openSide>>;
type Figure = keyof Awaited<ReturnType<Side['round']>>;

/** Ingest: transactions a second until the last event has left, beside COPY of the same rows into an equal table. */
export async function benchIngest(): Promise<void> {
  const sides: { label: string; side: Side }[] = [];
  try {
    for (const { label, root } of checkouts())
      sides.push({ label: label.padEnd(label === '' ? 0 : 8), side: await openSide(root) });
    const rounds = sides.map(() => [] as Record<Figure, number>[]);
    for (let round = 0; round < ROUNDS; round++)
      for (const [at, { side }] of sides.entries()) rounds[at]!.push(await side.round());
    console.log(`  ${TRANSACTIONS} postings on ${ACCOUNTS} accounts, ${MESSAGE} in a message`);
    for (const [at, { label }] of sides.entries())
      tell(label, (figure) => rounds[at]!.map((round) => round[figure]));
  } finally {
    for (const { side } of sides) await side.close();
  }
}

function tell(label: string, of: (figure: Figure) => number[]): void {
  console.log(
    `  ${label}Ingest  ${spread(of('rate'))}/s until the last event has left, client and broker on the same machine`,
  );
  console.log(
    `  ${label}Ingest  ${spread(of('perCpu'))} per CPU-s of service, relay and PostgreSQL; µs each: service ${spread(of('service'))}, PostgreSQL ${spread(of('postgres'))}; two such cores: ${spread(of('perCpu').map((each) => 2 * each))}/s, goal 10000`,
  );
  console.log(
    `  ${label}Ingest  MB of the service after each round: ${of('memory')
      .map((each) => each.toFixed(0))
      .join(', ')}`,
  );
  console.log(
    `  ${label}COPY    ${spread(of('copy'))}/s of the same rows into an equal table, no decision and no event`,
  );
  console.log(`  ${label}ratio   ${spread(of('ratio'), 2)}`);
}

async function openSide(root: string) {
  const bank = await openBank({ root });
  const url = await bank.database('account-information');
  const { process: service, grpcAddress } = await bank.start('account-information', url);
  const pool = openPool({ url, applicationName: 'bench', max: 1 });
  await pool.query('SET statement_timeout = 0');
  const accounts = await addAccounts(pool, ACCOUNTS);
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const server = parentOf(rows[0]!.pid);
  const client = new LedgerServiceClient(grpcAddress, credentials.createInsecure());
  await stream(client, { accounts, transactions: 20_000 });
  return {
    async round() {
      await pool.query('TRUNCATE transaction CASCADE');
      const before = [cpuSeconds(service.pid), familySeconds(server)] as const;
      const started = performance.now();
      await stream(client, { accounts, transactions: TRANSACTIONS });
      await until(async () => (await pool.query('SELECT FROM outbox LIMIT 1')).rowCount === 0, {
        what: 'the outbox to be empty',
        timeout: 600_000,
      });
      const rate = (TRANSACTIONS * 1_000) / (performance.now() - started);
      const [own, postgres] = [cpuSeconds(service.pid) - before[0], familySeconds(server) - before[1]];
      const memory = memoryMb(service.pid).resident;
      const copy = await copyRate(pool);
      return {
        rate,
        perCpu: TRANSACTIONS / (own + postgres),
        service: (own / TRANSACTIONS) * 1e6,
        postgres: (postgres / TRANSACTIONS) * 1e6,
        memory,
        copy,
        ratio: rate / copy,
      };
    },
    async close() {
      client.close();
      await pool.end();
      await bank.close();
    },
  };
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
