import { until } from '@kontoport/embedded/wait';
import { type Audited, readAudited } from '@kontoport/testing/audited';

/** Waits until the audit log has a record of each of these objects, and returns all their records in order. */
export function auditedOf(brokers: readonly string[], ...objectIds: readonly string[]): Promise<Audited[]> {
  return until(
    async () => {
      const found = await readAudited(brokers, ...objectIds);
      return objectIds.every((id) => found.some(({ value }) => value.objectId === id)) && found;
    },
    { what: 'records of the audit log' },
  );
}
