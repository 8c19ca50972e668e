import { call } from '@kontoport/grpc';
import { describeError, type Logger } from '@kontoport/lifecycle';
import type { ClientCredentialsServiceClient } from '@kontoport/proto/registration/v1';
import type { Db } from '../gen/db.ts';
import { type DueRevocation, endFamily, markRevoked } from './token-family.repository.ts';

/** Registration answers when the lease of the last unreachable service ends, at the latest. */
export const PROPAGATION_DEADLINE_MS = 8_000;

/** Dependencies for ending a family. */
export interface FamilyEnder {
  db: Db;
  registration: ClientCredentialsServiceClient;
  logger: Logger;
}

/**
 * Ends a family: its refresh tokens at once, its access tokens when registration has notified every service (§4.1). If that
 * fails, the loop of pending revocations retries it until the last access token expires.
 * @returns whether every service refuses its tokens
 */
export async function endTokenFamily(
  ender: FamilyEnder,
  options: { id: string; clientId: string; now: Date; signal: AbortSignal; why: string },
): Promise<boolean> {
  const { db, logger } = ender;
  const { id, clientId, why, signal } = options;
  const due = await endFamily(db, options);
  logger.info({ clientId, authorizationId: id, why }, 'refresh tokens ended');
  if (due === undefined) return true;
  try {
    await revokeAccessTokens(ender, due, signal);
    return true;
  } catch (error) {
    logger.warn({ clientId, error: describeError(error) }, 'access tokens not revoked yet');
    return false;
  }
}

/** Revokes all access tokens of a family, which carry its id. */
export async function revokeAccessTokens(
  { db, registration }: FamilyEnder,
  { id, clientId, accessUntil }: DueRevocation,
  signal: AbortSignal,
): Promise<void> {
  const expiresAt = BigInt(Math.ceil(accessUntil.getTime() / 1_000));
  const revocation = { clientId, tokenId: id, expiresAt };
  await call(registration, registration.revokeToken, revocation, {
    signal,
    deadlineMs: PROPAGATION_DEADLINE_MS,
  });
  await markRevoked(db, { id });
}
