import type { AuthorizationKeys } from '../domain/authorization-keys.model.ts';
import type { AuthorizationRequest } from '../domain/authorization-request.model.ts';
import type { Db } from '../gen/db.ts';
import { findDecision } from './authorization-decision.repository.ts';
import { isKeyOf, openSealedRequest } from './sealed-request.ts';

/** The request with this id, for the browser in which it was opened; undefined for every other, and when its time is over. */
export async function findAuthorizationRequest(
  { db, authorizationKeys }: { db: Db; authorizationKeys: AuthorizationKeys },
  { id, browserKey, now }: { id: string; browserKey: string | undefined; now: Date },
): Promise<AuthorizationRequest | undefined> {
  const sealed = openSealedRequest(authorizationKeys.requests, 'opened', { text: id, now });
  const hash = sealed?.browserKeyHash;
  if (sealed === undefined || hash === undefined || browserKey === undefined) return undefined;
  if (!isKeyOf(hash, browserKey)) return undefined;
  const decision = await findDecision(db.prisma, sealed);
  const status = decision === undefined ? 'open' : decision.outcome === 'APPROVED' ? 'approved' : 'refused';
  return { ...sealed, id, browserKeyHash: hash, status };
}
