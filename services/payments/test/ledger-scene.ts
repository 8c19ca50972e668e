import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, deployMigrations } from '@kontoport/database';
import { startEmbeddedPostgres } from '@kontoport/embedded/embedded-postgres';
import { freePort, freePorts } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { startFakePeers } from '@kontoport/testing/fake-peers';
import { openTestPool } from '@kontoport/testing/postgres';
import { type ServiceProcess, startServiceProcess } from '@kontoport/testing/service-process';
import { openTestDb } from './postgres-store.ts';

const SERVICES = join(import.meta.dirname, '../..');

/** A service that can be killed, and restarts at its ports. */
interface Crashable {
  /** Kills it with SIGKILL, and starts it again. */
  crash(): Promise<void>;
  close(): Promise<unknown>;
}

async function crashable(start: () => ServiceProcess): Promise<Crashable> {
  let running = start();
  await running.ready();
  return {
    async crash() {
      expect(await running.kill('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
      running = start();
      await running.ready();
    },
    close: () => running.kill(),
  };
}

/** payments with a persistent store, and account-information: two processes over a PostgreSQL of their own, without a broker. */
export async function openLedgerScene() {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-ledger-'));
  const keep = { dir: join(folder, 'postgres'), port: await freePort() };
  const [peers, first] = await Promise.all([startFakePeers(), startEmbeddedPostgres(keep)]);
  let postgres = first;
  const [payments, accounts] = await Promise.all(
    ['payments', 'account-information'].map((service) =>
      createDatabase(postgres.url, service.replaceAll('-', '_')),
    ),
  );
  const database = (url: string, service: string) => ({ url, prismaDir: join(SERVICES, service, 'prisma') });
  await Promise.all(
    [database(payments!, 'payments'), database(accounts!, 'account-information')].map(deployMigrations),
  );
  const [http, grpc, broker, ...further] = await freePorts(8);
  const [paymentsOps, paymentsGrpc, accountsHttp, accountsOps] = further.map(String);
  const shared = { ...peers.env, KAFKA_BROKERS: `127.0.0.1:${broker}` };
  const [ledger, service] = await Promise.all([
    crashable(() =>
      startServiceProcess({
        service: 'account-information',
        env: {
          ...shared,
          DATABASE_URL: accounts!,
          HTTP_PORT: accountsHttp!,
          OPS_PORT: accountsOps!,
          GRPC_PORT: String(grpc),
          SECRETS_KEY: randomBytes(32).toString('base64url'),
        },
      }),
    ),
    crashable(() =>
      startServiceProcess({
        service: 'payments',
        script: join(import.meta.dirname, 'payments-on-postgres.ts'),
        env: {
          ...shared,
          DATABASE_URL: payments!,
          HTTP_PORT: String(http),
          OPS_PORT: paymentsOps!,
          GRPC_PORT: paymentsGrpc!,
          ACCOUNTS_GRPC: `127.0.0.1:${grpc}`,
          USER_URL: 'https://user.bank.test',
        },
      }),
    ),
  ]);
  const db = openTestDb(payments!);
  const pools = { payments: db.pool, accounts: openTestPool(accounts!) };
  return {
    peers,
    /** Of payments. */
    db,
    pools,
    origin: `http://127.0.0.1:${http}`,
    ledgerAddress: `127.0.0.1:${grpc}`,
    payments: service,
    accountInformation: ledger,
    /** Ends all connections and the server, and starts it again over its data. */
    async restartPostgres(): Promise<void> {
      await postgres.stop();
      postgres = await startEmbeddedPostgres(keep);
      for (const pool of Object.values(pools))
        await until(() => pool.query('SELECT'), { what: 'the database to be back' });
    },
    async close() {
      await Promise.all([service.close(), ledger.close()]);
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
      await postgres.stop();
      await peers.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type LedgerScene = Awaited<ReturnType<typeof openLedgerScene>>;
