import { certificateOf } from '@kontoport/client-directory';
import { uuid } from '@kontoport/http';
import { hashClientSecret, type Pepper, pepperOfSecret } from '../clients/client-secret.model.ts';
import type { KnownClient } from '../directory/known-client.model.ts';
import type { Db } from '../gen/db.ts';
import { findCredentials, recordUse } from './credentials.repository.ts';

const NO_CLIENT = '00000000-0000-0000-0000-000000000000';

/**
 * Finds the client with this secret and certificate (§4.1). Undefined for an unknown or deleted client, a wrong secret and
 * another client's certificate, with the same work for each. Re-hashes a correct secret under the first pepper if it was
 * stored under another.
 * @throws ApiError UNAVAILABLE without the database.
 */
export async function verifyCredentials(
  { db, peppers }: { db: Db; peppers: readonly Pepper[] },
  presented: { clientId: string; clientSecret: string; certificateThumbprint: string },
): Promise<KnownClient | undefined> {
  const { data: asked = NO_CLIENT } = uuid.safeParse(presented.clientId);
  const found = await findCredentials(db, asked);
  const pepper = pepperOfSecret({
    secret: presented.clientSecret,
    storedHash: found?.secretHash,
    peppers,
  });
  const certificateMatches =
    found !== undefined && certificateOf(found.client, presented.certificateThumbprint) !== undefined;
  if (found === undefined || pepper === undefined || !certificateMatches) return undefined;
  const [first] = peppers as [Pepper];
  const isNoted = found.secretPepperId !== null && Buffer.compare(found.secretPepperId, first.id) === 0;
  if (found.used && pepper === first && isNoted) return found.client;
  const { clientId } = found.client;
  const secret = hashClientSecret(presented.clientSecret, first);
  // A client in use stays; an unused one may be deleted at this moment.
  return (await recordUse(db, { clientId, found: found.secretHash, secret })) ? found.client : undefined;
}
