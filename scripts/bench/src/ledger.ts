import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { credentials } from '@grpc/grpc-js';
import { openPool } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import { LedgerServiceClient, PostRequest } from '@kontoport/proto/accounts/v1';
import { openBank } from './bench-bank.ts';
import { checkouts } from './checkout.ts';
import { cpuSeconds, familySeconds, parentOf, spread } from './figures.ts';

const CALLERS = 48;
const ACCOUNTS = 200;
const ROUNDS = 5;
const WINDOW_MS = 5_000;
const LONE = 500;

type Ledger = Awaited<ReturnType<typeof openLedger>>;

/** One of the loads: what the callers ask for in turn. */
const LOADS = {
  'posts alone': () => 'post',
  'one in 20 a repetition, one in 20 refused': (turn: number) =>
    turn % 20 === 7 ? 'repeat' : turn % 20 === 13 ? 'refuse' : 'post',
} as const satisfies Record<string, (turn: number) => 'post' | 'repeat' | 'refuse'>;

/** Ledger.Post: postings per second of processor of the service and PostgreSQL, event and relay included; a lone one. */
export async function benchLedger(): Promise<void> {
  const ledgers: { label: string; ledger: Ledger }[] = [];
  try {
    for (const { label, root } of checkouts())
      ledgers.push({ label: label.padEnd(label === '' ? 0 : 8), ledger: await openLedger(root) });
    for (const [name, kind] of Object.entries(LOADS)) {
      console.log(`  ${CALLERS} callers, ${ACCOUNTS} accounts, ${name}`);
      for (const { ledger } of ledgers) await ledger.load(kind);
      const rounds = ledgers.map(() => [] as Awaited<ReturnType<Ledger['load']>>[]);
      for (let round = 0; round < ROUNDS; round++)
        for (const [at, { ledger }] of ledgers.entries()) rounds[at]!.push(await ledger.load(kind));
      for (const [at, { label }] of ledgers.entries()) {
        const of = (figure: keyof Awaited<ReturnType<Ledger['load']>>): number[] =>
          rounds[at]!.map((round) => round[figure]);
        console.log(
          `  ${label}${spread(of('perCpuSecond'))} per CPU-s of service and PostgreSQL, ${spread(of('perSecond'))}/s, p50 ${spread(of('p50'), 1)} ms, p99 ${spread(of('p99'), 1)} ms; µs a post: service ${spread(of('service'))}, PostgreSQL ${spread(of('postgres'))}`,
        );
      }
    }
    const alone = ledgers.map(() => [] as number[]);
    for (let round = 0; round < ROUNDS; round++)
      for (const [at, { ledger }] of ledgers.entries()) alone[at]!.push(await ledger.lone());
    for (const [at, { label }] of ledgers.entries())
      console.log(`  ${label}a lone post, one after the other: p50 ${spread(alone[at]!, 2)} ms`);
  } finally {
    for (const { ledger } of ledgers) await ledger.close();
  }
}

async function openLedger(root: string) {
  const bank = await openBank({ root });
  const url = await bank.database('account-information');
  const { process, grpcAddress } = await bank.start('account-information', url);
  const pool = openPool({ url, applicationName: 'bench', max: 1 });
  const accounts = await addAccounts(pool, ACCOUNTS);
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const server = parentOf(rows[0]!.pid);
  const client = new LedgerServiceClient(grpcAddress, credentials.createInsecure());
  const post = (request: PostRequest): Promise<unknown> =>
    new Promise((resolve) => client.post(request, (error) => resolve(error)));

  return {
    /** So many callers, each with the next post as soon as the last is answered. */
    async load(kind: (turn: number) => 'post' | 'repeat' | 'refuse') {
      const times: number[] = [];
      const before = [cpuSeconds(process.pid), familySeconds(server)] as const;
      const started = performance.now();
      const caller = async (first: number): Promise<void> => {
        let last = postingOn(accounts[0]!);
        for (let turn = first; performance.now() - started < WINDOW_MS; turn++) {
          const what = kind(turn);
          if (what !== 'repeat') last = postingOn(accounts[(turn * 7) % accounts.length]!);
          if (what === 'refuse') last.amount!.value = '-90000000000.00';
          const begun = performance.now();
          const error = await post(last);
          times.push(performance.now() - begun);
          if ((error !== null) !== (what === 'refuse')) throw new Error(`${what}: ${String(error)}`);
          if (what === 'refuse') last = postingOn(accounts[0]!);
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, (_, at) => caller(at * 5)));
      const seconds = (performance.now() - started) / 1_000;
      // What is told of them belongs to them.
      await until(async () => (await pool.query('SELECT FROM outbox LIMIT 1')).rowCount === 0, {
        what: 'the outbox to be empty',
        timeout: 60_000,
      });
      const [service, postgres] = [cpuSeconds(process.pid) - before[0], familySeconds(server) - before[1]];
      const sorted = times.toSorted((one, other) => one - other);
      return {
        perCpuSecond: times.length / (service + postgres),
        perSecond: times.length / seconds,
        p50: sorted[times.length >> 1]!,
        p99: sorted[Math.floor(times.length * 0.99)]!,
        service: (service / times.length) * 1e6,
        postgres: (postgres / times.length) * 1e6,
      };
    },
    /** One post at a time, with nothing else to do. */
    async lone(): Promise<number> {
      const times: number[] = [];
      for (let turn = 0; turn < LONE; turn++) {
        const begun = performance.now();
        await post(postingOn(accounts[turn % accounts.length]!));
        times.push(performance.now() - begun);
        await pause(1);
      }
      return times.toSorted((one, other) => one - other)[LONE >> 1]!;
    },
    async close() {
      client.close();
      await pool.end();
      await bank.close();
    },
  };
}

/** A posting of usual size. */
export function postingOn(accountId: string): PostRequest {
  return PostRequest.fromPartial({
    transactionId: randomUUID(),
    accountId,
    amount: { value: '-1.00', currency: 'DKK' },
    title: 'Bench',
    type: 'domesticCreditTransfer',
    message: 'A posting of the bench',
    recipientBban: '12345678901234',
    requireFunds: true,
  });
}

/** Accounts with funds; each of the clients may know of what happens on them, without any a client of its own for each. */
export async function addAccounts(
  pool: ReturnType<typeof openPool>,
  count: number,
  clientIds?: readonly string[],
): Promise<string[]> {
  const { rows } = await pool.query<{ account_id: string }>(
    `WITH fresh AS (
       INSERT INTO account (id, user_id, position, name, type, currency, bban, balance, reserved, supports_payments,
         supports_transfers)
       SELECT gen_random_uuid(), gen_random_uuid(), 0, 'Bench', 'CHECKING', 'DKK', '00400440116243', 100000000000, 0,
         true, true
       FROM generate_series(1, $1::int) RETURNING id, user_id
     ), granted AS (
       INSERT INTO consent (id, client_id, user_id, granted_at, roles)
       SELECT gen_random_uuid(), client_id, user_id, now(), '{PSP_AI}'
       FROM fresh CROSS JOIN LATERAL unnest(coalesce($2::uuid[], ARRAY[fresh.id])) AS client (client_id)
       RETURNING id, user_id
     ), linked AS (
       INSERT INTO consent_account (consent_id, account_id)
       SELECT granted.id, fresh.id FROM granted JOIN fresh USING (user_id) RETURNING account_id
     )
     SELECT DISTINCT account_id FROM linked`,
    [count, clientIds],
  );
  return rows.map((row) => row.account_id);
}
