import { randomUUID } from 'node:crypto';
import { activeSpanContext } from '@kontoport/telemetry';
import { outboxEvent } from './event-types.ts';
import type { OutboxEvent } from './outbox.ts';

/** What is told to auditors, a closed list: docs/operations/audit.md says of each when and by whom. */
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

/** Something that was done. */
export interface Audited {
  service: (typeof AUDITED_SERVICES)[number];
  action: AuditAction;
  /** `USER` on one of our pages, `CLIENT` through the interface, `SERVICE` by a rule of ours. */
  actor: 'USER' | 'CLIENT' | 'SERVICE';
  /** UUID: the client that it was done for. */
  clientId: string;
  /** UUID: the user who did it, or whose it is; empty where there is none. */
  userId: string;
  /** UUID: what it was done to; records of one object keep their order. */
  objectId: string;
  /** Ids of what belongs to it; never numbers of accounts, names, secrets or tokens. */
  relatedIds: readonly string[];
  now: Date;
}

/** The record for the outbox: to be written in the very transaction that does it, and by nothing else. */
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
