import { certificateOf } from '@kontoport/client-directory';
import { uuid } from '@kontoport/http';
import { isClientSecret } from '../clients/client-secret.model.ts';
import type { KnownClient } from '../directory/known-client.model.ts';
import type { Db } from '../gen/db.ts';
import { findCredentials, recordUse } from './credentials.repository.ts';

const NO_CLIENT = '00000000-0000-0000-0000-000000000000';

/**
 * The client whose secret and certificate were presented (§4.1). Undefined for an unknown or deleted
 * client, a wrong secret and another client's certificate alike: the same work is done for all of them.
 * @throws ApiError UNAVAILABLE when the database is away.
 */
export async function verifyCredentials(
  { db, pepper }: { db: Db; pepper: Uint8Array },
  presented: { clientId: string; clientSecret: string; certificateThumbprint: string },
): Promise<KnownClient | undefined> {
  const { data: asked = NO_CLIENT } = uuid.safeParse(presented.clientId);
  const found = await findCredentials(db, asked);
  const secretMatches = isClientSecret({
    secret: presented.clientSecret,
    storedHash: found?.secretHash,
    pepper,
  });
  const certificateMatches =
    found !== undefined && certificateOf(found.client, presented.certificateThumbprint) !== undefined;
  if (found === undefined || !secretMatches || !certificateMatches) return undefined;
  // A client that is in use stays; one that nobody has used may be deleted at this moment.
  if (!found.used && !(await recordUse(db, found.client.clientId))) return undefined;
  return found.client;
}
