import { randomUUID } from 'node:crypto';
import type { GuardedAgent } from '@kontoport/egress';
import { attemptDelivery } from '../src/deliveries/attempt-delivery.ts';
import type { AttemptResult } from '../src/deliveries/delivery.model.ts';
import { signBody, signingKey, standardHeaders } from '../src/deliveries/sign-body.model.ts';

/** Makes one attempt to deliver a webhook to a callback, without a dispatcher around it. */
export function attemptAt(agent: GuardedAgent, callback: string, timeLimit: number): Promise<AttemptResult> {
  const { origin, pathname, search } = new URL(callback);
  const key = signingKey(Buffer.from('k'.repeat(32)));
  const eventId = randomUUID();
  const revokedAt = new Date().toISOString();
  const body = Buffer.from(
    JSON.stringify({
      subscriptionId: 'a',
      idempotencyKey: eventId,
      eventTime: revokedAt,
      eventType: 'Consent.RevokedV1',
      data: { consentId: randomUUID(), accountIds: [], revokedAt },
    }),
  );
  return attemptDelivery({
    agent,
    origin,
    path: pathname + search,
    body,
    signatures: [
      'X-HMAC-Signature',
      signBody(key, body),
      ...standardHeaders(key, { eventId, sentAt: new Date(), body }),
    ],
    attempts: 0,
    timeLimit,
  });
}
