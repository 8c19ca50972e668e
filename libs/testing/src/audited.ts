import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { type IncomingRecord, openKafka, readEvent, topics } from '@kontoport/events';
import { createLogger } from '@kontoport/lifecycle';
import type { AuditRecord } from '@kontoport/proto/events/v1';
import type pg from 'pg';

/** A record of the audit log and how it came. */
export interface Audited {
  value: AuditRecord;
  record: IncomingRecord;
}

/** The entries of the audit log for these objects, in order, with repetitions. */
export async function readAudited(
  brokers: readonly string[],
  ...objectIds: readonly string[]
): Promise<Audited[]> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const kafka = openKafka({ brokers, clientId: 'test', logger });
  const found: Audited[] = [];
  await kafka.readToEnd({
    groupId: `test-${randomUUID()}`,
    topics: [topics.audit.name],
    take: async (records) => {
      for (const record of records) {
        const value = readEvent<'Audit.RecordedV1'>(topics.audit)(record).message;
        if (objectIds.includes(value.objectId)) found.push({ value, record });
      }
    },
  });
  return found;
}

/** The records about these objects, each once, when the outbox of the database has no more of them. */
export async function auditedOf(
  { pool, brokers }: { pool: Pick<pg.Pool, 'query'>; brokers: readonly string[] },
  ...objectIds: readonly string[]
): Promise<Audited[]> {
  await until(
    async () =>
      (await pool.query('SELECT FROM outbox WHERE key = ANY ($1) LIMIT 1', [objectIds])).rowCount === 0,
    { what: 'the outbox to be empty' },
  );
  const found = await readAudited(brokers, ...objectIds);
  const ids = found.map(({ value }) => value.eventId);
  return found.filter(({ value }, i) => ids.indexOf(value.eventId) === i);
}
