import { randomUUID } from 'node:crypto';
import type { Verdict } from '@kontoport/certificates';
import { TOKEN_AUDIENCE } from '@kontoport/gate';
import type { Logger } from '@kontoport/runtime';
import { signJwt } from '../signing-keys/sign-jwt.ts';
import type { Signer } from '../signing-keys/signing-key.model.ts';
import { authenticateClient, type ClientAuthenticator } from './authenticate-client.ts';
import type { IssuedToken, TokenRequest } from './client-credentials.model.ts';
import { grantScopes } from './scope.model.ts';
import { tokenLifetime } from './token-lifetime.model.ts';

/** What issuing a token needs. */
export interface TokenIssuer extends ClientAuthenticator {
  issuer: string;
  /** Milliseconds, at most an hour. */
  lifetimeMs: number;
  /** @throws ApiError UNAVAILABLE when it is not known which key signs at `now`. */
  keyRing: { signer(now: Date): Signer };
  logger: Logger;
}

/**
 * Issues a certificate-bound access token by client credentials (§4.1; RFC 9068, RFC 8705).
 * @param options.certificate the accepted certificate over which the request came
 * @throws ApiError invalid_client, invalid_scope; RATE_LIMITED after too many wrong secrets; UNAVAILABLE when registration or the keys are away.
 */
export async function issueToken(
  issuer: TokenIssuer,
  options: { request: TokenRequest; certificate: Verdict; requestId: string; now: Date; signal: AbortSignal },
): Promise<IssuedToken> {
  const { request, certificate, requestId, now, signal } = options;
  const { credentials } = request;
  const client = await authenticateClient(issuer, { credentials, certificate, now, signal });
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
  const signer = issuer.keyRing.signer(now);
  const claims = {
    client_id: client.clientId,
    scope,
    cnf: { 'x5t#S256': certificate.thumbprint },
    iss: issuer.issuer,
    sub: client.clientId,
    aud: TOKEN_AUDIENCE,
    iat: issuedAt,
    exp: expiresAt,
    jti: randomUUID(),
  };
  const accessToken = signJwt(signer, claims);
  const { kid } = signer;
  const expiresIn = expiresAt - issuedAt;
  issuer.logger.info({ clientId: client.clientId, scope, expiresIn, kid, requestId }, 'token issued');
  return { accessToken, expiresIn, scope };
}
