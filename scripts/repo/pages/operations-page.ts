import { aclArguments, KAFKA_ACCESS, topics } from '@kontoport/events';
import { type Blocks, table } from './keep-page.ts';

const ADMIN = '--bootstrap-server "$BROKERS" --command-config admin.properties';
const TOPIC_CONFIG = '--replication-factor 3 --config min.insync.replicas=2 --config cleanup.policy=delete';

/** The topics and access rights of docs/operations/backing-services.md. */
export function operationsBlocks(): Blocks {
  const all = Object.values(topics);
  return {
    topics: table([
      ['Topic', 'Partitions', 'Key'],
      ...all.map(({ name, partitions, key }) => [`\`${name}\``, String(partitions), key]),
    ]),
    'topic commands': shell(
      all.map(
        ({ name, partitions }) =>
          `kafka-topics ${ADMIN} --create --if-not-exists --topic ${name} --partitions ${partitions} ${TOPIC_CONFIG}`,
      ),
    ),
    access: table([
      ['Service', 'May', 'Why'],
      ...KAFKA_ACCESS.map(({ service, resource, name, operation, why }) => [
        service,
        `${operation} ${resource} \`${name}\``,
        why,
      ]),
    ]),
    'access commands': shell(
      KAFKA_ACCESS.map((access) => `kafka-acls ${ADMIN} ${aclArguments(access).join(' ')}`),
    ),
  };
}

const shell = (lines: readonly string[]): string => `\`\`\`sh\n${lines.join('\n')}\n\`\`\``;
