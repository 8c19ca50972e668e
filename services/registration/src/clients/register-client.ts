import { randomBytes, randomUUID } from 'node:crypto';
import type { Verdict } from '@kontoport/certificates';
import type { Logger } from '@kontoport/runtime';
import type { Db } from '../db.ts';
import { awaitPropagation } from '../directory/propagation.ts';
import { toCertificateChain } from './certificate-chain.model.ts';
import { hashClientSecret, newClientSecret } from './client-secret.model.ts';
import { type Client, type Registration, requireCertifiedRoles } from './client.model.ts';
import { storeRegistration } from './client.repository.ts';
import { registrationHash, requireSameBody } from './registration-request.model.ts';

/** A new client is usable everywhere at once in the usual case; nobody waits longer for a service that is slow to hear. */
const PROPAGATION_LIMIT_MS = 1_000;

/** What registering a client needs. */
export interface RegisterClientDeps {
  db: Db;
  /** Takes note at once that there is a new revision. */
  hub: { wake(): void };
  /** Key of the client secrets' HMAC. */
  pepper: Uint8Array;
  logger: Logger;
}

/**
 * Registers a TPP over its certificate (§4.2). The same certificate may register again: each registration
 * is a client of its own. A repeated request id of the same organization gives the first client, without its secret.
 * @throws ApiError ROLE_INVALID, IDEMPOTENCY_CONFLICT, UNAVAILABLE; after any error nothing is stored.
 */
export async function registerClient(
  deps: RegisterClientDeps,
  options: {
    registration: Registration;
    certificate: Verdict;
    /** Only an id that the caller sent. */
    requestId: string | undefined;
    now: Date;
    signal: AbortSignal;
  },
): Promise<{ clientId: string; clientSecret?: string }> {
  const { db, hub, pepper, logger } = deps;
  const { registration, certificate, requestId, now, signal } = options;
  requireCertifiedRoles(registration.roles, certificate.roles);

  const organizationIdentifier = certificate.organization.identifier;
  const client: Client = {
    ...registration,
    clientId: randomUUID(),
    displayName: certificate.displayName,
    organizationIdentifier,
    certificateChains: [toCertificateChain(certificate)],
    createdAt: now,
  };
  const clientSecret = newClientSecret(randomBytes);
  const bodyHash = registrationHash(registration);
  const stored = await storeRegistration(db, {
    client,
    secretHash: hashClientSecret(clientSecret, pepper),
    request: requestId === undefined ? undefined : { organizationIdentifier, requestId, bodyHash },
  });
  if (!stored.created) {
    requireSameBody(stored.bodyHash, bodyHash);
    return { clientId: stored.clientId };
  }
  hub.wake();
  const { revision } = stored;
  const { acknowledged } = await awaitPropagation({ db, revision, limitMs: PROPAGATION_LIMIT_MS, signal });
  logger.info({ clientId: client.clientId, revision: String(revision), acknowledged }, 'client registered');
  return { clientId: client.clientId, clientSecret };
}
