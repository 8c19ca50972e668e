import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openPool } from '@kontoport/database';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import type { TestTpp } from '@kontoport/testing/peers';
import { Pool } from 'undici';
import { startBank } from '../../../services/payments/test/bank.ts';
import { openBank, UNLIMITED } from './bench-bank.ts';
import { cpuSeconds, familySeconds, parentOf, spread } from './figures.ts';

const ROUNDS = 5;
const TURN = 500;
const CALLERS = 16;
const LIVE = 100_000;
const SETTLED = 400;
const TPPS = 8;

type Bank = Awaited<ReturnType<typeof openBank>>;

/** Who keeps drafts, and the processor seconds that it and its database have used so far. */
interface Keeper {
  name: string;
  origin: string;
  used: () => number;
}

/**
 * Drafts that are created, patched and approved: payments with either store, beside a bare Express and pg that do the same three
 * writes in PostgreSQL, and beside node:http and pg alone, the limit of what Node can do. Accounts are told by this process, which
 * is not counted. Then the settlements through the ledger, and what live drafts take of the sandbox.
 */
export async function benchDrafts(): Promise<void> {
  const bank = await openBank();
  const accounts = await startBank();
  const children: ChildProcess[] = [];
  try {
    const tpps = await Promise.all(Array.from({ length: TPPS }, () => bank.peers.addTpp()));
    const accountOf = new Map(
      tpps.map(({ clientId }) => [clientId, accounts.addAccount({ clientId, available: '100000000' })]),
    );
    const start = async (name: string, file: string, env: Record<string, string>): Promise<Keeper> => {
      const [port, ops, url] = [await freePort(), await freePort(), await bank.database('payments')];
      const child = spawn(process.execPath, [join(import.meta.dirname, file)], {
        env: {
          ...bank.peers.env,
          ...UNLIMITED,
          PATH: process.env.PATH,
          LOG_LEVEL: 'error',
          PORT: String(port),
          HTTP_PORT: String(port),
          OPS_PORT: String(ops),
          GRPC_PORT: '0',
          DATABASE_URL: url,
          KAFKA_BROKERS: bank.brokers.join(),
          USER_URL: 'https://user.bank.test',
          SANDBOX_ENTRIES_PER_CLIENT: '1000000',
          SANDBOX_ENTRIES_IN_ALL: '10000000',
          OPEN_PER_CLIENT: '10000000',
          OPEN_PER_ORGANIZATION: '10000000',
          ...env,
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      children.push(child);
      const server = await serverOf(url);
      const isBare = !file.startsWith('payments');
      await until(async () => (await fetch(`http://127.0.0.1:${isBare ? port : ops}/readyz`)).ok || isBare, {
        what: name,
        timeout: 60_000,
      });
      const used = (): number => cpuSeconds(child.pid!) + (server === undefined ? 0 : familySeconds(server));
      return { name, origin: `http://127.0.0.1:${port}`, used };
    };
    const asked = { ACCOUNTS_GRPC: `localhost:${accounts.port}`, SETTLEMENT_DELAY: '24h' };
    const keepers = [
      await start('payments, in memory', 'payments-server.ts', { ...asked, STORE: 'memory' }),
      await start('payments, in PostgreSQL', 'payments-server.ts', { ...asked, STORE: 'postgres' }),
    ];
    const baselines = [
      await start('bare Express + pg', 'express-drafts-server.mjs', {}),
      await start('bare http + pg', 'bare-drafts-server.ts', {}),
    ];
    await benchWrites({ keepers, baselines }, { tpps, accountOf });
    await benchSettlements(bank, start);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    accounts.close();
    await bank.close();
  }
  const { mb, few, many } = JSON.parse(
    execFileSync(
      process.execPath,
      ['--expose-gc', join(import.meta.dirname, 'live-drafts.ts'), String(LIVE)],
      {
        encoding: 'utf8',
      },
    ),
  ) as { mb: number; few: number; many: number };
  console.log(
    `  ${LIVE} live drafts of the sandbox: ${mb.toFixed(0)} MB, ${((mb * 1_024) / LIVE).toFixed(2)} KB each`,
  );
  console.log(
    `  create, patch and read in the store: ${few.toFixed(0)} µs among 5,000 live drafts, ${many.toFixed(0)} µs among ${LIVE}`,
  );
}

/** The PostgreSQL behind a URL. */
async function serverOf(url: string): Promise<number> {
  const pool = openPool({ url, applicationName: 'bench', max: 1 });
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  await pool.end();
  return parentOf(rows[0]!.pid);
}

interface Payers {
  tpps: readonly TestTpp[];
  accountOf: ReadonlyMap<string, string>;
}

async function benchWrites(
  { keepers, baselines }: { keepers: readonly Keeper[]; baselines: readonly Keeper[] },
  payers: Payers,
): Promise<void> {
  const measured = [...keepers, ...baselines].map((keeper) => ({
    keeper,
    perCpuSecond: [] as number[],
    perSecond: [] as number[],
  }));
  for (const { keeper } of measured) await approveDrafts(keeper.origin, payers, TURN);
  for (let round = 0; round < ROUNDS; round++)
    for (const { keeper, perCpuSecond, perSecond } of measured) {
      const [before, started] = [keeper.used(), performance.now()];
      await approveDrafts(keeper.origin, payers, TURN);
      perCpuSecond.push(TURN / (keeper.used() - before));
      perSecond.push((TURN * 1_000) / (performance.now() - started));
    }
  console.log(
    `  drafts created, patched and approved, ${CALLERS} callers, one process, PostgreSQL counted with it`,
  );
  for (const { keeper, perCpuSecond, perSecond } of measured) {
    const ratios = measured
      .filter((other) => baselines.includes(other.keeper) && other.keeper !== keeper)
      .map((base) => {
        const of = perCpuSecond.map((figure, round) => figure / base.perCpuSecond[round]!);
        return `${spread(of, 2)} of ${base.keeper.name}`;
      });
    console.log(
      `  ${keeper.name.padEnd(28)} ${spread(perCpuSecond)} per CPU-s, ${spread(perSecond)}/s; ${ratios.join(', ')}`,
    );
  }
}

/** So many drafts, each approved in a basket of its own; the requestIds. */
async function approveDrafts(
  origin: string,
  { tpps, accountOf }: Payers,
  count: number,
): Promise<{ tpp: TestTpp; requestId: string }[]> {
  const pool = new Pool(origin, { connections: CALLERS });
  const headers = new Map(
    await Promise.all(tpps.map(async (tpp) => [tpp.clientId, await tpp.headers()] as const)),
  );
  const approved: { tpp: TestTpp; requestId: string }[] = [];
  let left = count;
  const caller = async (): Promise<void> => {
    for (let turn = left--; turn > 0; turn = left--) {
      const tpp = tpps[turn % tpps.length]!;
      const send = async (method: 'POST' | 'PATCH', path: string, content: object): Promise<void> => {
        const { statusCode, body } = await pool.request({
          method,
          path: `/payments/drafts${path}`,
          headers: { ...headers.get(tpp.clientId), 'content-type': 'application/json' },
          body: JSON.stringify(content),
        });
        const text = await body.text();
        // Nothing has changed: the simulated accounts of a client are made when it is first asked for one.
        if (statusCode === 503) return send(method, path, content);
        if (statusCode > 201) throw new Error(`${origin}${path} answered ${statusCode}: ${text}`);
      };
      const [draftId, requestId] = [randomUUID(), randomUUID()];
      await send('POST', '/domestic-credit-transfer', { draftId, name: 'Rent' });
      await send('PATCH', `/domestic-credit-transfer/${draftId}`, {
        receiverAccountBban: '00400440116243',
        receiverName: 'Receiver',
        amount: '1.50',
        currency: 'DKK',
        senderAccountId: accountOf.get(tpp.clientId),
      });
      await send('POST', '/approve', {
        requestId,
        draftIds: [draftId],
        redirectUrl: 'https://tpp.test/callback',
      });
      approved.push({ tpp, requestId });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  await pool.close();
  return approved;
}

/** Payments of eight organizations, due at once: until the last is booked in account-information. */
async function benchSettlements(
  bank: Bank,
  start: (name: string, file: string, env: Record<string, string>) => Promise<Keeper>,
): Promise<void> {
  const url = await bank.database('account-information');
  const { grpcAddress } = await bank.start('account-information', url);
  const pool = openPool({ url, applicationName: 'bench', max: 1 });
  for (const store of ['memory', 'postgres']) {
    const tpps = await Promise.all(Array.from({ length: TPPS }, () => bank.peers.addTpp()));
    const accountOf = new Map<string, string>();
    for (const { clientId } of tpps) accountOf.set(clientId, await addPayer(pool, clientId));
    const env = { ACCOUNTS_GRPC: grpcAddress, STORE: store, SETTLEMENT_DELAY: '0ms' };
    const keeper = await start(`payments, ${store}`, 'payments-server.ts', env);
    const figures: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const booked = await countBooked(pool);
      const started = performance.now();
      await approveDrafts(keeper.origin, { tpps, accountOf }, SETTLED);
      await until(async () => (await countBooked(pool)) === booked + SETTLED, {
        what: 'all to be booked',
        timeout: 60_000,
      });
      figures.push((SETTLED * 1_000) / (performance.now() - started));
    }
    console.log(
      `  ${`${keeper.name}: settled`.padEnd(28)} ${spread(figures)}/s through the ledger, drafts and approvals included`,
    );
  }
  await pool.end();
}

async function countBooked(pool: ReturnType<typeof openPool>): Promise<number> {
  const { rows } = await pool.query<{ booked: number }>(
    `SELECT count(*)::int AS booked FROM transaction WHERE title = 'Receiver' AND status = 'financial'`,
  );
  return rows[0]!.booked;
}

/** An account with funds that a client may pay from. */
async function addPayer(pool: ReturnType<typeof openPool>, clientId: string): Promise<string> {
  const { rows } = await pool.query<{ account_id: string }>(
    `WITH fresh AS (
       INSERT INTO account (id, user_id, position, name, type, currency, bban, balance, reserved, supports_payments,
         supports_transfers)
       VALUES (gen_random_uuid(), gen_random_uuid(), 0, 'Bench', 'CHECKING', 'DKK', '00400440116251', 100000000000, 0,
         true, true) RETURNING id, user_id
     ), granted AS (
       INSERT INTO consent (id, client_id, user_id, granted_at, roles)
       SELECT gen_random_uuid(), $1, user_id, now(), '{PSP_AI,PSP_PI}' FROM fresh RETURNING id
     )
     INSERT INTO consent_account (consent_id, account_id)
     SELECT granted.id, fresh.id FROM granted, fresh RETURNING account_id`,
    [clientId],
  );
  return rows[0]!.account_id;
}
