import type { Verdict } from '@kontoport/certificates';
import { certificateOf, type ClientDirectory, type DirectoryClient } from '@kontoport/client-directory';
import { call } from '@kontoport/grpc';
import type { ClientCredentialsServiceClient } from '@kontoport/proto/registration/v1';
import {
  type AskedAt,
  type ClientCredentials,
  refusedCredentials,
  type ShownSecret,
  tooManyWrongSecrets,
  tooManyWrongSecretsOfAll,
} from './client-credentials.model.ts';
import type { ProvenCredentials } from './credential-cache.model.ts';
import type { Attempt, WrongSecrets } from './failed-auth-limiter.model.ts';

/** What the proof of a client needs. */
export interface ClientAuthenticator {
  registration: ClientCredentialsServiceClient;
  wrongSecrets: WrongSecrets;
  provenCredentials: ProvenCredentials;
  directory: ClientDirectory;
}

/** What a client shows, and the accepted certificate that it comes over. */
interface Proof {
  credentials: ClientCredentials;
  certificate: Verdict;
}

/** What a token says of its client. */
export type ProvenClient = Pick<DirectoryClient, 'clientId' | 'roles'>;

/**
 * The client whose secret and certificate these are; every fault gets the same answer, and counts the same (§4.1).
 * What registration has accepted is not asked again while the client is as it was then, and that is known: then no promise is made.
 * @throws ApiError invalid_client; RATE_LIMITED after too many wrong secrets; UNAVAILABLE when registration is away.
 */
export function authenticateClient(
  authenticator: ClientAuthenticator,
  { credentials, certificate }: Proof,
  asked: AskedAt,
): ProvenClient | Promise<ProvenClient> {
  const { wrongSecrets, directory } = authenticator;
  const { clientId, shown } = credentials;
  if (shown === undefined) return requireOwner(directory, { clientId, certificate });
  const certificateThumbprint = certificate.thumbprint;
  const attempt = { clientId, certificateThumbprint, organization: certificate.organization.identifier };
  refuseBlocked(wrongSecrets, attempt, asked.now);
  const known = directory.readiness() === undefined ? directory.find(clientId) : undefined;
  if (known !== undefined && !known.deleted && known.revision === shown.provenAt) return known;
  return verify(authenticator, { attempt, shown }, asked);
}

/** Has registration say whether the credentials are right. */
async function verify(
  { registration, wrongSecrets, provenCredentials }: ClientAuthenticator,
  { attempt, shown }: { attempt: Attempt; shown: ShownSecret },
  { now, signal }: AskedAt,
): Promise<ProvenClient> {
  const seconds = wrongSecrets.crowdedSeconds(attempt, now);
  if (seconds !== undefined) throw tooManyWrongSecretsOfAll(seconds);
  const { clientId, certificateThumbprint } = attempt;
  const credentials = { clientId, clientSecret: shown.clientSecret(), certificateThumbprint };
  const { client } = await wrongSecrets.during(attempt, () =>
    call(registration, registration.verify, credentials, { signal }),
  );
  if (client !== undefined && !client.deleted) {
    const { revision } = client;
    provenCredentials.remember({ basic: shown.basic, certificateThumbprint }, { clientId, revision });
    return client;
  }
  // Others of the pair may have come in between.
  refuseBlocked(wrongSecrets, attempt, now);
  wrongSecrets.count(attempt, now);
  throw refusedCredentials();
}

function refuseBlocked(wrongSecrets: WrongSecrets, attempt: Attempt, now: Date): void {
  const seconds = wrongSecrets.blockedSeconds(attempt, now);
  if (seconds !== undefined) throw tooManyWrongSecrets(seconds);
}

/** The client that holds the certificate, which is all the proof there is (RFC 8705 §2.1): nothing here can be guessed. */
function requireOwner(
  directory: ClientDirectory,
  { clientId, certificate }: { clientId: string; certificate: Verdict },
): ProvenClient {
  const client = directory.find(clientId);
  const isOwner = client !== undefined && certificateOf(client, certificate.thumbprint) !== undefined;
  if (client === undefined || client.deleted || !isOwner) throw refusedCredentials();
  return client;
}
