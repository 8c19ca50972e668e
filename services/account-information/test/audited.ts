import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { type IncomingRecord, openKafka, readEvent, topics } from '@kontoport/events';
import type { AuditRecord } from '@kontoport/proto/events/v1';
import { createLogger } from '@kontoport/runtime';
import type { openTestPool } from '@kontoport/testing/postgres';

/** A record of the audit log and how it came. */
export interface Audited {
  value: AuditRecord;
  record: IncomingRecord;
}

/** The records of the audit log about these objects, in their order, each once, when the outbox has no more of them. */
export async function auditedOf(
  { pool, brokers }: { pool: ReturnType<typeof openTestPool>; brokers: readonly string[] },
  ...objectIds: readonly string[]
): Promise<Audited[]> {
  await until(
    async () =>
      (await pool.query('SELECT FROM outbox WHERE key = ANY ($1) LIMIT 1', [objectIds])).rowCount === 0,
    { what: 'the outbox to be empty' },
  );
  const logger = createLogger({ service: 'test', level: 'silent' });
  const kafka = openKafka({ brokers, clientId: 'test', logger });
  const found = new Map<string, Audited>();
  await kafka.readToEnd({
    groupId: `test-${randomUUID()}`,
    topics: [topics.audit.name],
    take: async (records) => {
      for (const record of records) {
        const value = readEvent<'Audit.RecordedV1'>(topics.audit)(record).message;
        if (objectIds.includes(value.objectId) && !found.has(value.eventId))
          found.set(value.eventId, { value, record });
      }
    },
  });
  return [...found.values()];
}
