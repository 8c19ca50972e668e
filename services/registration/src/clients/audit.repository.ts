import type { Tx } from '@kontoport/database';
import { addToOutbox, type Audited, auditEvent } from '@kontoport/events';

/** What was done to a client. */
export type ClientDone = Pick<Audited, 'action' | 'clientId' | 'now'> & {
  /** `SERVICE` by a rule of ours; otherwise the client itself. */
  actor?: Audited['actor'];
  /** The chain of an added certificate. */
  relatedIds?: readonly string[];
};

/**
 * Tells auditors, in the transaction that does it. To be called before the changes are ordered (`nextRevision`): nobody waits
 * for it then.
 */
export async function tellAuditors(tx: Tx, ...done: readonly ClientDone[]): Promise<void> {
  const records = done.map(({ actor = 'CLIENT', clientId, relatedIds = [], ...what }) =>
    auditEvent({
      ...what,
      service: 'registration',
      actor,
      clientId,
      // Whose it is, is told by no user.
      userId: '',
      objectId: clientId,
      relatedIds,
    }),
  );
  await addToOutbox(tx, ...records);
}
