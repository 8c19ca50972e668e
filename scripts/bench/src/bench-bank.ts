import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createDatabase, deployMigrations } from '@kontoport/database';
import { startKillableKafka } from '@kontoport/embedded/apache-kafka';
import { startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { freePort } from '@kontoport/embedded/port';
import { startPostgres } from '@kontoport/embedded/start-postgres';
import { topics } from '@kontoport/events';
import { startPeers } from '@kontoport/testing/peers';
import { type ServiceProcess, startServiceProcess } from '@kontoport/testing/service-process';

/** A bench asks as fast as it is answered. */
export const UNLIMITED = { RATE_LIMIT_CLIENT: '1000000000', RATE_LIMIT_ORGANIZATION: '1000000000' };

/** A figure that comes late on a busy machine is better than none. */
const READY_LIMIT_MS = 300_000;

const ROOT = join(import.meta.dirname, '../../..');

export type BrokerKind = 'embedded' | 'apache';

/**
 * Services of one bench as real processes on a real PostgreSQL and a real broker.
 * @param options.root the checkout whose services they are
 * @param options.broker default: our own
 * @param options.nodeArguments of the services, such as options that NODE_OPTIONS does not take
 */
export async function openBank(
  options: { root?: string; broker?: BrokerKind; nodeArguments?: readonly string[] } = {},
) {
  const { root = ROOT, broker = 'embedded', nodeArguments = [] } = options;
  // What it takes to lose nothing is measured, too.
  const postgres = await startPostgres({ isThrownAway: true });
  const all = Object.values(topics);
  // What a broker costs, and how long it takes, is measured with the memory that a bank gives it.
  const kafka = await (broker === 'embedded'
    ? startEmbeddedKafka(all)
    : startKillableKafka(all, { java: 'standard' }));
  const peers = await startPeers();
  const shared = {
    ...peers.env,
    KAFKA_BROKERS: kafka.brokers.join(','),
    SECRETS_KEY: randomBytes(32).toString('base64url'),
    CALLBACK_LOOPBACK: 'true',
    LOG_LEVEL: 'error',
    ...UNLIMITED,
    // Such as --max-semi-space-size=4, to choose it by what it costs.
    NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS ?? '',
  };
  const running: ServiceProcess[] = [];

  const database = async (service: string): Promise<string> => {
    const name = `bench_${service.replaceAll('-', '_')}_${randomBytes(3).toString('hex')}`;
    const url = await createDatabase(postgres.url, name);
    await deployMigrations({ url, prismaDir: join(root, 'services', service, 'prisma') });
    return url;
  };

  return {
    peers,
    brokers: kafka.brokers,
    postgresUrl: postgres.url,
    database,
    /** Starts a service on its own free ports; resolves when it is ready. */
    async start(service: string, databaseUrl: string, more: Record<string, string> = {}) {
      const [http, grpc, ops] = [await freePort(), await freePort(), await freePort()];
      const process = startServiceProcess({
        service,
        root,
        nodeArguments,
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
      return { process, origin: `http://127.0.0.1:${http}`, grpcAddress: `localhost:${grpc}` };
    },
    async close() {
      for (const service of running.toReversed()) await service.kill();
      await peers.close();
      await kafka.stop();
      await postgres.stop();
    },
  };
}
