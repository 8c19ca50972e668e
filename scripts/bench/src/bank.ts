import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createDatabase, deployMigrations, openPool } from '@kontoport/database';
import { startKillableKafka } from '@kontoport/embedded/apache-kafka';
import { startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { freePort } from '@kontoport/embedded/port';
import { startPostgres } from '@kontoport/embedded/start-postgres';
import { topics } from '@kontoport/events';
import { startFakePeers } from '@kontoport/testing/fake-peers';
import { type ServiceProcess, startServiceProcess } from '@kontoport/testing/service-process';
import { parentOf } from './harness.ts';

/** A bench sends as fast as the service answers. */
const UNLIMITED = { RATE_LIMIT_CLIENT: '1000000000', RATE_LIMIT_ORGANIZATION: '1000000000' };
/** A late figure on a busy machine is better than none. */
const READY_LIMIT_MS = 300_000;
const ROOT = join(import.meta.dirname, '../../..');

export type Bank = Awaited<ReturnType<typeof openBank>>;

/**
 * Opens PostgreSQL and a broker for services that run as processes. PostgreSQL writes with care (fsync).
 * @param broker default: the embedded one; Apache Kafka gets the memory that a bank gives it
 */
export async function openBank(broker: 'embedded' | 'apache' = 'embedded') {
  const postgres = await startPostgres({ isThrownAway: true });
  const all = Object.values(topics);
  const kafka = await (broker === 'embedded'
    ? startEmbeddedKafka(all)
    : startKillableKafka(all, { java: 'standard' }));
  const peers = await startFakePeers();
  const shared = {
    ...peers.env,
    KAFKA_BROKERS: kafka.brokers.join(','),
    SECRETS_KEY: randomBytes(32).toString('base64url'),
    CALLBACK_LOOPBACK: 'true',
    LOG_LEVEL: 'error',
    ...UNLIMITED,
  };
  const running: ServiceProcess[] = [];
  return {
    peers,
    /** Makes an empty database. */
    emptyDatabase: () => createDatabase(postgres.url, `bench_${randomBytes(4).toString('hex')}`),
    /** Makes a migrated database of a service. */
    async database(service: string): Promise<string> {
      const url = await createDatabase(postgres.url, `bench_${randomBytes(4).toString('hex')}`);
      await deployMigrations({ url, prismaDir: join(ROOT, 'services', service, 'prisma') });
      return url;
    },
    /** Starts a service on free ports; resolves when it is ready. */
    async start(service: string, databaseUrl: string, more: Record<string, string> = {}) {
      const [http, grpc, ops] = [await freePort(), await freePort(), await freePort()];
      const process = startServiceProcess({
        service,
        env: {
          ...shared,
          DATABASE_URL: databaseUrl,
          HTTP_PORT: String(http),
          GRPC_PORT: String(grpc),
          OPS_PORT: String(ops),
          ...more,
        },
      });
      running.push(process);
      await process.ready(READY_LIMIT_MS);
      return { pid: process.pid, origin: `http://127.0.0.1:${http}`, grpcAddress: `localhost:${grpc}` };
    },
    async close() {
      for (const service of running.toReversed()) await service.kill();
      await peers.close();
      await kafka.stop();
      await postgres.stop();
    },
  };
}

/** The process of the database server; each connection is a child of it. */
export async function postgresPid(url: string): Promise<number> {
  const pool = openPool({ url, applicationName: 'bench', max: 1 });
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  // Read before the backend ends with its connection.
  const server = parentOf(rows[0]!.pid);
  await pool.end();
  return server;
}

/**
 * Makes accounts with funds.
 * @param clientIds may each know of what happens on all of them; default: for each account a client of its own
 */
export async function addAccounts(
  url: string,
  count: number,
  clientIds?: readonly string[],
): Promise<string[]> {
  const pool = openPool({ url, applicationName: 'bench', max: 1 });
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
  await pool.end();
  return rows.map((row) => row.account_id);
}
