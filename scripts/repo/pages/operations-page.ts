import { aclArguments, KAFKA_ACCESS, topics } from '@kontoport/events';
import { keepPage } from './keep-page.ts';

const OPERATIONS_FILE = 'docs/operations/backing-services.md';

/** docs/operations/backing-services.md: what Kafka and PostgreSQL must enforce, with the very access lists. */
export function renderOperations(): string {
  const principals = [...new Set(KAFKA_ACCESS.map(({ service }) => service))];
  return `# What Kafka and PostgreSQL must enforce

<!-- Written by \`npm run index\` from libs/events/src/access.ts and topics.ts. -->

The services prove who they are and verify whom they speak to; only the other side can refuse everybody else. In production
a service does not start with a plaintext connection to another machine.

## Kafka

1. **TLS on every listener**, those between brokers and controllers included; no \`PLAINTEXT\` and no \`SASL_PLAINTEXT\`
   listener. Certificates carry the names that \`advertised.listeners\` and \`KAFKA_BROKERS\` say: the services verify them, and
   nothing switches that off.
2. **One principal for each service**, named after it, one for the person who looks after dead letters with
   \`kontoport dead-letters\`, and one for those who read the [audit log](audit.md): ${principals.map((name) => `\`User:${name}\``).join(', ')}. By SASL
   (\`SCRAM-SHA-512\`, or \`OAUTHBEARER\` with short-lived tokens; \`PLAIN\` only where the broker asks a directory), or by a
   client certificate with \`ssl.client.auth=required\` and \`ssl.principal.mapping.rules\`. The other services have none: they do
   not speak to Kafka.
3. **Denied by default**: \`authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer\`,
   \`allow.everyone.if.no.acl.found=false\`, \`super.users\` for the platform team alone.
4. **Topics are made by the platform team**: \`auto.create.topics.enable=false\`, three replicas, \`min.insync.replicas=2\`. The
   number of partitions is part of the order of events; it is not changed while a topic is in use.

${table([
  ['Topic', 'Partitions', 'Key'],
  ...Object.values(topics).map(({ name, partitions, key }) => [`\`${name}\``, String(partitions), key]),
])}

Records are events, so \`cleanup.policy=delete\` and never \`compact\`; \`retention.ms\` is longer than the longest time without a dispatcher
([backup](backup.md#what-to-keep)), and for \`${topics.audit.name}\` what the law asks for ([audit log](audit.md#how-to-keep-it)). As commands:

\`\`\`sh
${Object.values(topics)
  .map(
    ({ name, partitions }) =>
      `kafka-topics --bootstrap-server "$BROKERS" --command-config admin.properties --create --if-not-exists --topic ${name} --partitions ${partitions} --replication-factor 3 --config min.insync.replicas=2 --config cleanup.policy=delete`,
  )
  .join('\n')}
\`\`\`

### Access

${table([
  ['Service', 'May', 'Why'],
  ...KAFKA_ACCESS.map(({ service, resource, name, operation, why }) => [
    service,
    `${operation} ${resource} \`${name}\``,
    why,
  ]),
])}

Nothing else is needed: to read or write a topic implies to describe it, and who may write to a topic may do so idempotently
(Apache Kafka 3.0 and later). As commands, with \`$BROKERS\` and the administrator's \`admin.properties\`:

\`\`\`sh
${KAFKA_ACCESS.map(
  (access) =>
    `kafka-acls --bootstrap-server "$BROKERS" --command-config admin.properties ${aclArguments(access).join(' ')}`,
).join('\n')}
\`\`\`

A test gives an Apache Kafka these very commands and runs producers and consumers of the services against it
(\`libs/events/test/secured-kafka.test.ts\`); \`npm start -- --kafka apache\` runs the whole bank on such a broker.

## PostgreSQL

PostgreSQL 14 or later, for its multiranges; tested with 18.

1. **TLS only**: \`ssl = on\`, and \`pg_hba.conf\` with \`hostssl\` lines alone, by \`scram-sha-256\`, with \`clientcert=verify-ca\`
   where services have client certificates. The certificate carries the host name of \`DATABASE_URL\`.
2. **One role and one database for each service.** The role owns its database and can connect to no other:
   \`REVOKE CONNECT ON DATABASE … FROM PUBLIC\`.

## Rotation

Passwords and certificates that come as files (\`DATABASE_URL_FILE\`, \`KAFKA_SASL_PASSWORD_FILE\`,
\`KAFKA_SASL_OAUTH_CLIENT_SECRET_FILE\`, \`DATABASE_TLS_*\`, \`KAFKA_TLS_*\`) are read again for each new connection. So: allow
the new one beside the old one, replace the file, wait until connections have been made anew (or end them at the server), take
the old one back. A replacement that cannot be used, such as a key without its certificate, is an \`error\` in the log that
names the variable; the last good one stays until then.
`;
}

/** Aligned, as the formatter wants it; the first row is the head. */
export function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]!.length), 3));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Writes the page, or with `check` compares it; returns what is wrong, a sentence each. */
export function operationsPage(root: string, { check }: { check: boolean }): string[] {
  return keepPage({ root, file: OPERATIONS_FILE, text: renderOperations(), check });
}
