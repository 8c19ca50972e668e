import { inTransaction } from '@kontoport/database';
import { addToOutbox, type Relay } from '@kontoport/events';
import type { Db } from '../gen/db.ts';
import { consentRevokedEvent, consentRevokedRecord } from './consent-event.ts';
import { type Consent, consentUnknown } from './consent.model.ts';
import { endConsent, findConsent } from './consent.repository.ts';

/**
 * Revokes a consent of a user and writes its event and audit record in the same database transaction. An ended consent
 * stays as it is.
 * @throws ApiError RESOURCE_UNKNOWN (no such consent of the user)
 */
export async function revokeConsent(
  { db, relay }: { db: Db; relay: Relay },
  revocation: { consentId: string; userId: string; now: Date },
): Promise<Consent> {
  const ended = await inTransaction(db, async (tx) => {
    const isNew = await endConsent(tx, revocation);
    const consent = await findConsent(tx, revocation.consentId);
    if (consent?.userId !== revocation.userId) throw consentUnknown();
    if (isNew) await addToOutbox(tx, consentRevokedEvent(consent), consentRevokedRecord(consent, 'USER'));
    return consent;
  });
  relay.wake();
  return ended;
}
