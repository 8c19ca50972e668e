import { randomUUID } from 'node:crypto';
import { type Audited, auditEvent, outboxEvent, type OutboxEvent } from '@kontoport/events';
import type { Consent } from './consent.model.ts';

/** The event of a revoked consent (§6), for its client alone. */
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

/** Makes the audit record of a given consent. */
export function consentGivenRecord(consent: Consent): OutboxEvent {
  return record(consent, { action: 'CONSENT_GIVEN', actor: 'USER', now: consent.grantedAt });
}

/** Makes the audit record of a consent that was revoked by its user, or to make room for another one. */
export function consentRevokedRecord(consent: Consent, actor: Audited['actor']): OutboxEvent {
  return record(consent, { action: 'CONSENT_REVOKED', actor, now: consent.revokedAt! });
}

function record(
  { id, clientId, userId, accountIds }: Consent,
  done: Pick<Audited, 'action' | 'actor' | 'now'>,
): OutboxEvent {
  const service = 'account-information';
  return auditEvent({ ...done, service, clientId, userId, objectId: id, relatedIds: accountIds });
}
