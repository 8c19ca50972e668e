import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';
import type { RevokedToken } from './known-client.model.ts';

/** Seconds for which a revoked token is kept after its end, for services with slow clocks. */
const KEPT_BEYOND = 60;

/** Reads a stored revoked token: `id:exp`. */
export function toRevokedToken(word: string): RevokedToken {
  const [id, expiresAt] = word.split(':') as [string, string];
  return { id, expiresAt: BigInt(expiresAt) };
}

/** Makes the stored text of revoked tokens (a word each, separated by blanks), and the end of the last one. */
export function storedRevokedTokens(tokens: readonly RevokedToken[]): { words: string; until: Date } {
  const last = tokens.map(({ expiresAt }) => Number(expiresAt)).reduce((a, b) => Math.max(a, b), 0);
  return {
    words: tokens.map(({ id, expiresAt }) => `${id}:${expiresAt}`).join(' '),
    until: new Date((last + KEPT_BEYOND) * 1_000),
  };
}

/**
 * Adds a token to the revoked ones of a client and removes the ended ones; undefined when it is among them already.
 * @throws ApiError RATE_LIMITED when there are `most`, until the first of them has ended
 */
export function withRevokedToken(
  tokens: readonly RevokedToken[],
  options: { added: RevokedToken; most: number; now: Date },
): RevokedToken[] | undefined {
  const { added, most, now } = options;
  if (tokens.some(({ id }) => id === added.id)) return undefined;
  const waitSeconds = ({ expiresAt }: RevokedToken): number =>
    Math.ceil(Number(expiresAt) + KEPT_BEYOND - now.getTime() / 1_000);
  const kept = tokens.filter((token) => waitSeconds(token) > 0);
  if (kept.length >= most) {
    const seconds = Math.min(...kept.map(waitSeconds));
    const text = TEXTS('revoked-tokens-too-many', { most, seconds });
    throw new ApiError('RATE_LIMITED', text, { retryAfterSeconds: seconds });
  }
  return [...kept, added];
}
