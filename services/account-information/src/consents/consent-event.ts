import { randomUUID } from 'node:crypto';
import { outboxEvent } from '@kontoport/events';
import type { Consent } from './consent.model.ts';

/** The event of a consent that was taken back (§6); its client alone learns of it. */
export function consentRevokedEvent({ id, clientId, accountIds, revokedAt }: Consent) {
  const time = revokedAt!.toISOString();
  return outboxEvent('Consent.RevokedV1', {
    eventId: randomUUID(),
    eventTime: time,
    audience: [clientId],
    clientId,
    consentId: id,
    accountIds,
    revokedAt: time,
  });
}
