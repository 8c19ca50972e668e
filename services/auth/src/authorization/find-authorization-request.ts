import type { AuthorizationKeys } from '../domain/authorization-keys.model.ts';
import type { AuthorizationRequest } from '../domain/authorization-request.model.ts';
import type { Db } from '../gen/db.ts';
import { findDecision } from './authorization-decision.repository.ts';
import { isBrowserKey, openSealedRequest } from './sealed-request.ts';

/** Finds the request with this id; undefined in another browser than the one that opened it, and after its end. */
export async function findAuthorizationRequest(
  { db, authorizationKeys }: { db: Db; authorizationKeys: AuthorizationKeys },
  { id, browserKey, now }: { id: string; browserKey: string; now: Date },
): Promise<AuthorizationRequest | undefined> {
  const sealed = openSealedRequest(authorizationKeys.requests, 'opened', { text: id, now });
  const hash = sealed?.browserKeyHash;
  if (sealed === undefined || hash === undefined || !isBrowserKey(hash, browserKey)) return undefined;
  const decision = await findDecision(db.prisma, sealed);
  const status = decision === undefined ? 'open' : decision.outcome === 'APPROVED' ? 'approved' : 'refused';
  return { ...sealed, id, browserKeyHash: hash, status };
}
