import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingForKafka } from '@kontoport/embedded/kafka-jars';
import { startSecuredKafka } from '@kontoport/embedded/secured-kafka';
import { KAFKA_ACCESS, topics } from '@kontoport/events';
import type { SandboxCa } from '@kontoport/issuing';
import type { BrokerBacking } from './backing-services.ts';

/** @throws Error with a message for the user when Apache Kafka cannot be started here */
export function requireApacheKafka(): void {
  const missing = missingForKafka();
  if (missing !== undefined)
    throw new Error(`--kafka apache needs ${missing}. Without the option our own small broker serves`);
}

/**
 * Starts Apache Kafka as production must run it: TLS under the sandbox's root, a principal with a password for each
 * service, and no access for others. Its data stay in `data`.
 */
export async function openApacheKafka({ data, ca }: { data: string; ca: SandboxCa }): Promise<BrokerBacking> {
  const folder = join(data, 'apache-kafka');
  const principals = ['admin', ...new Set(KAFKA_ACCESS.map(({ service }) => service))];
  const files = new Map(principals.map((name) => [name, passwordFile(join(folder, 'passwords'), name)]));
  const passwords = Object.fromEntries(
    [...files].map(([name, file]) => [name, readFileSync(file, 'utf8').trim()]),
  );
  const server = await startSecuredKafka({
    cert: ca.server.certificate,
    key: ca.server.key,
    ca: ca.root.certificate,
    users: { ...passwords, admin: passwords.admin! },
    topics: Object.values(topics),
    access: KAFKA_ACCESS,
    folder,
  });
  const brokers = server.brokers.join(',');
  return {
    environment(service): Record<string, string> {
      const password = files.get(service);
      if (password === undefined) return {};
      return {
        KAFKA_BROKERS: brokers,
        KAFKA_TLS_CA: ca.root.certificate,
        KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
        KAFKA_SASL_USERNAME: service,
        KAFKA_SASL_PASSWORD_FILE: password,
      };
    },
    close: server.stop,
    description: `Apache Kafka with TLS, SASL and access lists, ${brokers}`,
  };
}

/** Returns the file with the password of a principal. Makes a missing one. */
function passwordFile(folder: string, name: string): string {
  const file = join(folder, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  return file;
}
