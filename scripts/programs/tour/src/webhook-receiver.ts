import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { startWebhookServer } from '@kontoport/profile';
import { type Json, TourFailure } from './expectations.ts';

/** A delivery whose signature was right. */
export interface Delivery {
  event: Json;
  signature: string;
  bytes: number;
}

/** The provider's own endpoint for webhooks. */
export interface WebhookReceiver {
  url: string;
  /** Whether it answers 410 to every delivery. */
  isGone: boolean;
  /** Knows the key of a subscription from now on (the 32 characters, used as bytes as they are). */
  trust(subscriptionId: string, subscriptionKey: string): void;
  /** Waits for a verified delivery that `wanted` accepts. @throws TourFailure after `limit` milliseconds. */
  receive(what: string, wanted: (event: Json) => boolean, limit: number): Promise<Delivery>;
  close(): Promise<void>;
}

const POLL_MS = 25;

/** §5.8: HMAC-SHA256 over the raw bytes, 64 lower-case hexadecimal characters, compared in constant time. */
function signatureHolds(body: Buffer, key: KeyObject, signature: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(signature)) return false;
  return timingSafeEqual(createHmac('sha256', key).update(body).digest(), Buffer.from(signature, 'hex'));
}

/** Listens on the loopback interface; answers 204 to a delivery that verifies, 401 to any other. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const keys = new Map<string, KeyObject>();
  const deliveries: Delivery[] = [];
  const refused: string[] = [];

  const take = (body: Buffer, signature: string): boolean => {
    let event: Json;
    try {
      event = JSON.parse(body.toString('utf8')) as Json;
    } catch {
      refused.push('a body that is not JSON');
      return false;
    }
    const key = keys.get(String(event.subscriptionId));
    if (!key || !signatureHolds(body, key, signature)) {
      refused.push(key ? 'a wrong signature' : `the unknown subscription ${String(event.subscriptionId)}`);
      return false;
    }
    deliveries.push({ event, signature, bytes: body.length });
    return true;
  };

  const server = await startWebhookServer(0, async ({ headers, body }) => {
    if (receiver.isGone) return { status: 410 };
    return { status: take(body, String(headers['x-hmac-signature'] ?? '')) ? 204 : 401 };
  });
  const receiver: WebhookReceiver = {
    ...server,
    isGone: false,
    trust: (id, key) => void keys.set(id, createSecretKey(Buffer.from(key, 'latin1'))),
    async receive(what, wanted, limit) {
      const deadline = performance.now() + limit;
      for (;;) {
        const found = deliveries.find(({ event }) => wanted(event));
        if (found) return found;
        if (performance.now() > deadline)
          throw new TourFailure(
            `${what} within ${limit / 1_000} s`,
            refused.length > 0 ? `deliveries with ${refused.join(', ')}` : 'no delivery',
          );
        await pause(POLL_MS);
      }
    },
  };
  return receiver;
}
