import type { Verdict, Verifier } from '@kontoport/certificates';
import { ApiError } from '@kontoport/errors';
import type { Logger } from '@kontoport/lifecycle';
import { awaitPropagation, USUAL_PROPAGATION_MS } from '../directory/propagation.ts';
import type { Db } from '../gen/db.ts';
import { chainRefused, readChain, toCertificateChain } from './certificate-chain.model.ts';
import { findRegistered, storeChain } from './client-changes.repository.ts';
import {
  type Client,
  clientUnknown,
  requireRegisteredRoles,
  requireSameOrganization,
} from './client.model.ts';
import { findClient } from './client.repository.ts';
import type { RegistrationLimits } from './registration-limits.model.ts';

/** Dependencies of `addCertificate`. */
export interface AddCertificateDeps {
  db: Db;
  verifier: Verifier;
  hub: { wake(): void };
  limits: RegistrationLimits;
  logger: Logger;
}

/**
 * Adds a certificate to a client that calls over another one (§4.2). The caller need not prove possession of the key: without
 * the key the certificate gives no access (ADR-0008). A certificate that the client has already is not added again.
 * @throws ApiError FORMAT_ERROR (400) unless `certificate` is a complete chain; CERTIFICATE_INVALID, CERTIFICATE_EXPIRED and
 * CERTIFICATE_REVOKED (403); ROLE_INVALID (403); STATUS_INVALID (409) beyond the limit; CLIENT_UNKNOWN; UNAVAILABLE
 */
export async function addCertificate(
  deps: AddCertificateDeps,
  options: {
    clientId: string;
    certificate: string;
    updateDisplayName: boolean;
    now: Date;
    signal: AbortSignal;
  },
): Promise<Client> {
  const { db, verifier, hub, limits, logger } = deps;
  const { clientId, updateDisplayName, now, signal } = options;
  const presented = readChain(options.certificate);
  const fault = verifier.faultOfChain(presented);
  if (fault) throw chainRefused(fault);

  const registered = await findRegistered(db, clientId);
  if (!registered) throw clientUnknown();
  const verdict = await verifier.decide(
    presented.map(({ der }) => der),
    now,
  );
  requireAccepted(verdict);
  requireSameOrganization(verdict.organization.identifier, registered.organizationIdentifier);
  requireRegisteredRoles(verdict.roles, registered.roles);

  const chain = toCertificateChain(verdict);
  const revision = await storeChain(db, { clientId, chain, updateDisplayName, limits, now });
  if (revision === undefined) throw clientUnknown();
  hub.wake();
  const { acknowledged } = await awaitPropagation({ db, revision, limitMs: USUAL_PROPAGATION_MS, signal });
  logger.info({ clientId, revision: String(revision), acknowledged }, 'certificate added');
  const client = await findClient(db, clientId);
  if (!client) throw clientUnknown();
  return client;
}

/** @throws ApiError with the verdict's own errorCode, 403 where it would be 401 for the caller's certificate (§7) */
function requireAccepted({ accepted, failure }: Verdict): void {
  if (accepted || !failure) return;
  const refusal = new ApiError(failure.errorCode, failure.text);
  throw refusal.status === 401 ? refusal.withStatus(403) : refusal;
}
