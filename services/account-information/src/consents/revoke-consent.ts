import { inTransaction } from '@kontoport/database';
import type { Db } from '../gen/db.ts';
import { type Consent, consentUnknown } from './consent.model.ts';
import { endConsent, findConsent } from './consent.repository.ts';

/**
 * Takes a consent of a user back. One that has ended stays as it is.
 * @throws ApiError RESOURCE_UNKNOWN (no such consent of the user)
 */
export async function revokeConsent(
  { db }: { db: Db },
  revocation: { consentId: string; userId: string; now: Date },
): Promise<Consent> {
  return inTransaction(db, async (tx) => {
    await endConsent(tx, revocation);
    const consent = await findConsent(tx, revocation.consentId);
    if (consent?.userId !== revocation.userId) throw consentUnknown();
    return consent;
  });
}
