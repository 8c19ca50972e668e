import type { Verdict } from '@kontoport/certificates';
import { certificateOf, type ClientDirectory, type DirectoryClient } from '@kontoport/client-directory';
import { call } from '@kontoport/grpc';
import type { ClientCredentialsServiceClient } from '@kontoport/proto/registration/v1';
import {
  type ClientCredentials,
  refusedCredentials,
  tooManyWrongSecrets,
  tooManyWrongSecretsOfAll,
} from './client-credentials.model.ts';
import type { ProvenCredentials } from './proven-credentials.model.ts';
import type { WrongSecrets } from './wrong-secrets.model.ts';

/** What the proof of a client needs. */
export interface ClientAuthenticator {
  registration: ClientCredentialsServiceClient;
  wrongSecrets: WrongSecrets;
  provenCredentials: ProvenCredentials;
  directory: ClientDirectory;
}

/** What a token says of its client. */
export type ProvenClient = Pick<DirectoryClient, 'clientId' | 'roles'>;

/**
 * The client whose secret and certificate these are; every fault gets the same answer, and counts the same (§4.1).
 * What registration has accepted is not asked again while the client is as it was then, and that is known.
 * @param options.certificate the accepted certificate over which the request came
 * @throws ApiError invalid_client; RATE_LIMITED after too many wrong secrets; UNAVAILABLE when registration is away.
 */
export async function authenticateClient(
  { registration, wrongSecrets, provenCredentials, directory }: ClientAuthenticator,
  options: { credentials: ClientCredentials; certificate: Verdict; now: Date; signal: AbortSignal },
): Promise<ProvenClient> {
  const { credentials, certificate, now, signal } = options;
  const { clientId, clientSecret } = credentials;
  if (clientSecret === undefined) return requireOwner(directory, { clientId, certificate });
  const attempt = {
    clientId,
    certificateThumbprint: certificate.thumbprint,
    organization: certificate.organization.identifier,
  };
  const refuseBlocked = (): void => {
    const seconds = wrongSecrets.blockedSeconds(attempt, now);
    if (seconds !== undefined) throw tooManyWrongSecrets(seconds);
  };
  refuseBlocked();
  const shown = { clientId, clientSecret, certificateThumbprint: certificate.thumbprint };
  const known = directory.readiness() === undefined ? directory.find(clientId) : undefined;
  if (known !== undefined && !known.deleted && provenCredentials.holds(shown, known.revision)) return known;
  const seconds = wrongSecrets.crowdedSeconds(attempt, now);
  if (seconds !== undefined) throw tooManyWrongSecretsOfAll(seconds);
  const { client } = await wrongSecrets.during(attempt, () =>
    call(registration, registration.verify, shown, { signal }),
  );
  if (client !== undefined && !client.deleted) {
    provenCredentials.remember(shown, client.revision);
    return client;
  }
  // Others of the pair may have come in between.
  refuseBlocked();
  wrongSecrets.count(attempt, now);
  throw refusedCredentials();
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
