import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookEvent } from './operations.ts';

/** Headers of Node.js (names in lower case) or of fetch. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

export interface WebhookVerificationOptions {
  /** How much the time of the attempt may differ from the receiver's clock; default: 5 minutes. */
  readonly toleranceMs?: number;
  /** The receiver's clock in milliseconds; default: `Date.now()`. */
  readonly now?: number;
}

/** A delivery that is not from the bank, has been changed, or is too old. Answer it with 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * Verifies a delivery by its headers of Standard Webhooks, and returns its event. Store `idempotencyKey`: a delivery may repeat.
 * @param keys the `subscriptionKey`; several while a subscription with a new key replaces another
 * @param rawBody the received bytes; a body that was parsed and written again does not verify
 * @throws WebhookVerificationError
 */
export function verifyWebhook(
  keys: string | readonly string[],
  headers: WebhookHeaders,
  rawBody: Uint8Array,
  { toleranceMs = 300_000, now = Date.now() }: WebhookVerificationOptions = {},
): WebhookEvent {
  const id = requiredHeader(headers, 'webhook-id', /^[\w-]{1,128}$/);
  const timestamp = requiredHeader(headers, 'webhook-timestamp', /^\d{1,12}$/);
  // One signature for each key in use, separated by spaces. Versions other than v1 are ignored.
  const signatures = requiredHeader(headers, 'webhook-signature', /^[!-~]+( [!-~]+){0,9}$/).split(' ');
  if (Math.abs(Number(timestamp) * 1_000 - now) > toleranceMs)
    throw new WebhookVerificationError('webhook-timestamp differs too much from the clock');
  const isSigned = (typeof keys === 'string' ? [keys] : keys).some((key) => {
    // Anybody can sign with an empty key.
    if (key === '') return false;
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest('base64');
    return signatures.some((signature) => isEqual(signature, `v1,${digest}`));
  });
  if (!isSigned) throw new WebhookVerificationError('webhook-signature is wrong');
  return JSON.parse(Buffer.from(rawBody).toString()) as WebhookEvent;
}

function requiredHeader(headers: WebhookHeaders, name: string, form: RegExp): string {
  const value =
    'get' in headers && typeof headers.get === 'function'
      ? headers.get(name)
      : (headers as Record<string, unknown>)[name];
  if (typeof value !== 'string' || !form.test(value))
    throw new WebhookVerificationError(`${name} is missing or malformed`);
  return value;
}

/** Compares texts, not decoded bytes: a decoder may ignore characters after the end. */
function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
