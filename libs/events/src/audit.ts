import { randomUUID } from 'node:crypto';
import { activeSpanContext } from '@kontoport/telemetry';
import { outboxEvent } from './event-types.ts';
import type { OutboxEvent } from './outbox.ts';

/** The audited actions, which docs/operations/audit.md describes. */
export const AUDIT_ACTIONS = [
  'CLIENT_REGISTERED',
  'CLIENT_SECRET_RENEWED',
  'CLIENT_DELETED',
  'REDIRECT_URIS_REPLACED',
  'CERTIFICATE_ADDED',
  'DISPLAY_NAME_CHANGED',
  'CONSENT_GIVEN',
  'CONSENT_REVOKED',
  'PAYMENT_APPROVED',
  'PAYMENT_DECLINED',
  'PAYMENT_CANCELLED',
  'STANDING_ORDER_APPROVED',
  'STANDING_ORDER_DECLINED',
  'STANDING_ORDER_DELETED',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The services that write records. */
export const AUDITED_SERVICES = ['account-information', 'payments', 'registration'] as const;

/** An audited action. */
export interface Audited {
  service: (typeof AUDITED_SERVICES)[number];
  action: AuditAction;
  /** `USER` on a page of the bank, `CLIENT` through the interface, `SERVICE` by a rule of Kontoport. */
  actor: 'USER' | 'CLIENT' | 'SERVICE';
  /** UUID of the client. */
  clientId: string;
  /** UUID of the user who did it, or who owns the object; empty where there is none. */
  userId: string;
  /** UUID of the object; records of one object keep their order. */
  objectId: string;
  /** Ids of related objects; never account numbers, names, secrets or tokens. */
  relatedIds: readonly string[];
  now: Date;
}

/** Makes the audit record. It must be written in the transaction of the action. */
export function auditEvent(done: Audited): OutboxEvent {
  const { service, action, actor, clientId, userId, objectId, relatedIds, now } = done;
  const event = outboxEvent('Audit.RecordedV1', {
    eventId: randomUUID(),
    eventTime: now.toISOString(),
    action,
    actor,
    clientId,
    userId,
    objectId,
    relatedIds: [...relatedIds],
    traceId: activeSpanContext()?.traceId ?? '',
  });
  return { ...event, source: `urn:kontoport:${service}` };
}
