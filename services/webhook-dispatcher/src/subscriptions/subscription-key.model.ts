const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 32;

/**
 * A new subscriptionKey: 32 letters A-Z and a-z, each equally likely (§2.11); 182 bits.
 * @param draw a secret random integer, 0 ≤ it < `below`, each equally likely
 */
export function newSubscriptionKey(draw: (below: number) => number): string {
  return Array.from({ length: LENGTH }, () => LETTERS[draw(LETTERS.length)]).join('');
}
