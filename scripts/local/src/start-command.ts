import { join } from 'node:path';
import { defineCommand } from '@kontoport/command';
import { readStartArguments, START_OPTIONS } from './start-arguments.ts';

/** `kontoport start`: the whole sandbox on this machine, and a tour through it. */
export const startCommand = defineCommand({
  summary: 'starts the whole bank on this machine, and a tour through it',
  about: `Starts Kontoport on this machine: PostgreSQL, a Kafka broker, the five services, a mutual TLS edge,
and then a tour in which a third party provider uses the bank.`,
  options: START_OPTIONS,
  notes: `Port 0 takes any free one. DATABASE_URL and KAFKA_BROKERS replace the embedded PostgreSQL and broker;
DATABASE_TLS_*, KAFKA_TLS_* and KAFKA_SASL_* go with them. LOG_LEVEL, REVOCATION, SETTLEMENT_DELAY, WEBHOOK_RETRY_SCHEDULE and OTEL_* reach the services.`,
  run: async ({ values, env }) => {
    const root = join(import.meta.dirname, '../../..');
    const { runStart } = await import('./run-start.ts');
    return runStart({ chosen: readStartArguments({ values, env, root }), env, root });
  },
});
