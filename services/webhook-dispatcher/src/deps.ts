import { openPool } from '@kontoport/database';
import { createGuardedAgent } from '@kontoport/egress';
import { createProducer, openKafka } from '@kontoport/events';
import { openGate } from '@kontoport/gate';
import type { Lifecycle, Logger, readConfig } from '@kontoport/runtime';
import { PrismaPg } from '@prisma/adapter-pg';
import type { config } from './config.ts';
import { createDispatcher } from './deliveries/dispatcher.ts';
import { PrismaClient } from './gen/prisma/client.ts';

/** The service's configuration, read. */
export type Config = ReturnType<typeof readConfig<typeof config>>;

/** All that the entry points use. */
export type Deps = Awaited<ReturnType<typeof openDeps>>;

/** Opens what the service needs, once and in order; `lifecycle` closes it in reverse. */
export async function openDeps(options: { config: Config; logger: Logger; lifecycle: Lifecycle }) {
  const { config, logger, lifecycle } = options;
  const { DATABASE_URL: url } = config;
  // Callers cannot take the connections that deliveries need.
  const pool = openPool({ url, max: 5, applicationName: 'webhook-dispatcher' });
  lifecycle.own('database', { close: () => pool.end() });
  const managementPool = openPool({ url, max: 5, applicationName: 'webhook-dispatcher management' });
  lifecycle.own('management database', { close: () => managementPool.end() });
  const prisma = new PrismaClient({ adapter: new PrismaPg(managementPool) });
  const kafka = openKafka({ brokers: config.KAFKA_BROKERS, clientId: 'webhook-dispatcher', logger });
  const deadLetters = lifecycle.own('producer', createProducer({ kafka }));
  const gate = await openGate({ service: 'webhook-dispatcher', config, logger, lifecycle });
  const egress = { allowLoopback: config.CALLBACK_LOOPBACK };
  const agent = createGuardedAgent(egress);
  lifecycle.own('callback connections', { close: () => agent.destroy() });
  const secretsKey = config.SECRETS_KEY;
  const dispatcher = createDispatcher({
    pool,
    agent,
    directory: gate.directory,
    secretsKey,
    schedule: config.WEBHOOK_RETRY_SCHEDULE,
    logger,
  });
  const { directory } = gate;
  return {
    pool,
    managementPool,
    prisma,
    kafka,
    deadLetters,
    gate,
    directory,
    egress,
    secretsKey,
    dispatcher,
    logger,
  };
}
