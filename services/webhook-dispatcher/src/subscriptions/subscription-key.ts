import { randomInt } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 32;

/** A new subscriptionKey: 32 letters A-Z and a-z, each equally likely (specification §2.11); 182 bits. */
export function newSubscriptionKey(): string {
  // randomInt draws again instead of taking a remainder, so no letter is favoured.
  return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}
