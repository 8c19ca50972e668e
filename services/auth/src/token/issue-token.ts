import { randomUUID } from 'node:crypto';
import type { Verdict } from '@kontoport/certificates';
import { TOKEN_AUDIENCE } from '@kontoport/gate';
import { call } from '@kontoport/grpc';
import type { Client, ClientCredentialsServiceClient } from '@kontoport/proto/registration/v1';
import type { Logger } from '@kontoport/runtime';
import { SignJWT } from 'jose';
import type { Signer } from '../signing-keys/signing-key.model.ts';
import { type IssuedToken, refusedCredentials, type TokenRequest } from './client-credentials.model.ts';
import { grantScopes } from './scope.model.ts';
import { tokenLifetime } from './token-lifetime.model.ts';

/** What issuing a token needs. */
export interface TokenIssuer {
  issuer: string;
  /** Milliseconds, at most an hour. */
  lifetimeMs: number;
  /** @throws ApiError UNAVAILABLE when it is not known which key signs at `now`. */
  keyRing: { signer(now: Date): Signer };
  registration: ClientCredentialsServiceClient;
  logger: Logger;
}

/**
 * Issues a certificate-bound access token by client credentials (§4.1; RFC 9068, RFC 8705).
 * @param options.certificate the accepted certificate over which the request came
 * @throws ApiError invalid_client, invalid_scope; UNAVAILABLE when registration or the keys are away.
 */
export async function issueToken(
  issuer: TokenIssuer,
  options: { request: TokenRequest; certificate: Verdict; requestId: string; now: Date; signal: AbortSignal },
): Promise<IssuedToken> {
  const { request, certificate, requestId, now } = options;
  const client = await authenticateClient(issuer, options);
  const scope = grantScopes({
    requested: request.requestedScopes,
    clientRoles: client.roles,
    certificateRoles: certificate.roles,
  }).join(' ');
  const { issuedAt, expiresAt } = tokenLifetime({
    now,
    lifetimeMs: issuer.lifetimeMs,
    certificateNotAfter: new Date(certificate.path[0]!.notAfter),
  });
  const { kid, privateKey } = issuer.keyRing.signer(now);
  const accessToken = await new SignJWT({
    client_id: client.clientId,
    scope,
    cnf: { 'x5t#S256': certificate.thumbprint },
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
    .setIssuer(issuer.issuer)
    .setSubject(client.clientId)
    .setAudience(TOKEN_AUDIENCE)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .setJti(randomUUID())
    .sign(privateKey);
  const expiresIn = expiresAt - issuedAt;
  issuer.logger.info({ clientId: client.clientId, scope, expiresIn, kid, requestId }, 'token issued');
  return { accessToken, expiresIn, scope };
}

/** The client whose secret and certificate these are; every fault gets the same answer. */
async function authenticateClient(
  { registration }: TokenIssuer,
  options: { request: TokenRequest; certificate: Verdict; signal: AbortSignal },
): Promise<Client> {
  const { request, certificate, signal } = options;
  const verification = {
    ...request.credentials,
    certificateThumbprint: certificate.thumbprint,
  };
  const { client } = await call(registration, registration.verify, verification, { signal });
  if (client === undefined || client.deleted) throw refusedCredentials();
  return client;
}
