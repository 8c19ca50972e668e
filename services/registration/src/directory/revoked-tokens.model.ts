import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';
import type { RevokedToken } from './known-client.model.ts';

/** Beyond its end a revoked token is kept for services whose clocks are behind, seconds. */
const KEPT_BEYOND = 60;

/** A revoked token as it is stored: `id:exp`. */
export function toRevokedToken(word: string): RevokedToken {
  const [id, expiresAt] = word.split(':') as [string, string];
  return { id, expiresAt: BigInt(expiresAt) };
}

/** Stored revoked tokens: a word each, separated by blanks, and when the last one expires. */
export function storedRevokedTokens(tokens: readonly RevokedToken[]): { words: string; until: Date } {
  const last = tokens.map(({ expiresAt }) => Number(expiresAt)).reduce((a, b) => Math.max(a, b), 0);
  return {
    words: tokens.map(({ id, expiresAt }) => `${id}:${expiresAt}`).join(' '),
    until: new Date((last + KEPT_BEYOND) * 1_000),
  };
}

/**
 * The revoked tokens of a client with one more, without those that have ended; undefined when it is among them already.
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
