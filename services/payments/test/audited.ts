import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { type IncomingRecord, openKafka, readEvent, topics } from '@kontoport/events';
import type { AuditRecord } from '@kontoport/proto/events/v1';
import { createLogger } from '@kontoport/runtime';

/** A record of the audit log and how it came. */
export interface Audited {
  value: AuditRecord;
  record: IncomingRecord;
}

/** Waits until the audit log has a record of each of these objects, and gives all that it has of them, in their order. */
export async function auditedOf(
  brokers: readonly string[],
  ...objectIds: readonly string[]
): Promise<Audited[]> {
  const kafka = openKafka({
    brokers,
    clientId: 'test',
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  const read = async (): Promise<Audited[]> => {
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
  };
  return until(
    async () => {
      const found = await read();
      return objectIds.every((id) => found.some(({ value }) => value.objectId === id)) && found;
    },
    { what: 'records of the audit log' },
  );
}
