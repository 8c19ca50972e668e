import type { Verdict } from '@kontoport/certificates';
import { certificateOf, type ClientDirectory, type DirectoryClient } from '@kontoport/client-directory';
import { call } from '@kontoport/grpc';
import type { ClientCredentialsServiceClient } from '@kontoport/proto/registration/v1';
import {
  type CallContext,
  type ClientCredentials,
  type PresentedSecret,
  refusedCredentials,
  tooManyFailures,
  tooManyFailuresOfOrganization,
} from './client-credentials.model.ts';
import type { CredentialCache } from './credential-cache.model.ts';
import type { Attempt, FailedAuthLimiter } from './failed-auth-limiter.model.ts';

/** Dependencies for authenticating a client. */
export interface ClientAuthenticator {
  registration: ClientCredentialsServiceClient;
  failedAuthLimiter: FailedAuthLimiter;
  credentialCache: CredentialCache;
  directory: ClientDirectory;
}

/** A client's credentials, and its accepted certificate. */
interface Presented {
  credentials: ClientCredentials;
  certificate: Verdict;
}

/** An authenticated client. */
type AuthenticatedClient = Pick<DirectoryClient, 'clientId' | 'roles'>;

/**
 * Authenticates a client by its secret and certificate (§4.1). Every failure has the same answer and counts the same. Credentials
 * that registration accepted at the client's present revision are not verified again.
 * @throws ApiError invalid_client; RATE_LIMITED after too many failures; UNAVAILABLE without registration
 */
export async function authenticateClient(
  authenticator: ClientAuthenticator,
  presented: Presented,
  context: CallContext,
): Promise<AuthenticatedClient> {
  const client = await findAuthenticated(authenticator, presented, context);
  context.identity.clientId = client.clientId;
  return client;
}

async function findAuthenticated(
  authenticator: ClientAuthenticator,
  { credentials, certificate }: Presented,
  context: CallContext,
): Promise<AuthenticatedClient> {
  const { failedAuthLimiter, directory } = authenticator;
  const { clientId, presented } = credentials;
  if (presented === undefined) return requireOwner(directory, { clientId, certificate });
  const certificateThumbprint = certificate.thumbprint;
  const attempt = { clientId, certificateThumbprint, organization: certificate.organization.identifier };
  refuseBlocked(failedAuthLimiter, attempt, context.now);
  const known = directory.readiness() === undefined ? directory.find(clientId) : undefined;
  if (known !== undefined && !known.deleted && known.revision === presented.cachedRevision) return known;
  return verify(authenticator, { attempt, presented }, context);
}

/** Asks registration to verify the credentials. */
async function verify(
  { registration, failedAuthLimiter, credentialCache }: ClientAuthenticator,
  { attempt, presented }: { attempt: Attempt; presented: PresentedSecret },
  { now, signal }: CallContext,
): Promise<AuthenticatedClient> {
  const seconds = failedAuthLimiter.blockedOrganizationSeconds(attempt, now);
  if (seconds !== undefined) throw tooManyFailuresOfOrganization(seconds);
  const { clientId, certificateThumbprint } = attempt;
  const credentials = { clientId, clientSecret: presented.clientSecret(), certificateThumbprint };
  const { client } = await failedAuthLimiter.run(attempt, () =>
    call(registration, registration.verify, credentials, { signal }),
  );
  if (client !== undefined && !client.deleted) {
    const { revision } = client;
    credentialCache.add({ basic: presented.basic, certificateThumbprint }, { clientId, revision });
    return client;
  }
  // Concurrent attempts may have reached the limit meanwhile.
  refuseBlocked(failedAuthLimiter, attempt, now);
  failedAuthLimiter.count(attempt, now);
  throw refusedCredentials();
}

function refuseBlocked(failedAuthLimiter: FailedAuthLimiter, attempt: Attempt, now: Date): void {
  const seconds = failedAuthLimiter.blockedSeconds(attempt, now);
  if (seconds !== undefined) throw tooManyFailures(seconds);
}

/** Authenticates a client by its certificate alone (RFC 8705 §2.1). No failure is counted, because there is no secret to guess. */
function requireOwner(
  directory: ClientDirectory,
  { clientId, certificate }: { clientId: string; certificate: Verdict },
): AuthenticatedClient {
  const client = directory.find(clientId);
  const isOwner = client !== undefined && certificateOf(client, certificate.thumbprint) !== undefined;
  if (client === undefined || client.deleted || !isOwner) throw refusedCredentials();
  return client;
}
