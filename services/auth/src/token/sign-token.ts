import { randomUUID } from 'node:crypto';
import type { Role, Verdict } from '@kontoport/certificates';
import { TOKEN_AUDIENCE } from '@kontoport/gate';
import type { Logger } from '@kontoport/lifecycle';
import { CompactSign } from 'jose/jws/compact/sign';
import type { Signer } from '../signing-keys/signing-key.model.ts';
import { tokenLifetime } from './token-lifetime.model.ts';
import type { IssuedToken } from './token-request.model.ts';

/** Dependencies for signing access tokens. */
export interface TokenSigner {
  issuer: string;
  /** Milliseconds, at most an hour. */
  lifetimeMs: number;
  /** @throws ApiError UNAVAILABLE when the key that signs at `now` is unknown. */
  keyRing: { signer(now: Date): Signer };
  logger: Logger;
}

/** The content of a token, and the key that signs it. */
interface TokenContent {
  /** Fetched before any state changes, because it can be unavailable. */
  key: Signer;
  clientId: string;
  /** The client itself, or the user of the consent. */
  subject: string;
  scopes: readonly Role[];
  /** The accepted certificate, to which the token is bound. The token expires with it at the latest. */
  certificate: Verdict;
  /** The consent of a token that a user authorized, and the token's id. */
  user?: { consentId: string; tokenId: string; validUntil: Date };
  requestId: string;
  now: Date;
}

/** Signs an access token (RFC 9068, RFC 8705). */
export async function signToken(
  signer: Omit<TokenSigner, 'keyRing'>,
  content: TokenContent,
): Promise<IssuedToken> {
  const { key, clientId, subject, scopes, certificate, user, requestId } = content;
  const { kid, privateKey } = key;
  const { issuedAt, expiresAt } = lifetimeOf(signer, content);
  const scope = scopes.join(' ');
  const claims = {
    iss: signer.issuer,
    sub: subject,
    aud: TOKEN_AUDIENCE,
    iat: issuedAt,
    exp: expiresAt,
    jti: user?.tokenId ?? randomUUID(),
    client_id: clientId,
    scope,
    cnf: { 'x5t#S256': certificate.thumbprint },
    ...(user && { consent_id: user.consentId }),
  };
  const accessToken = await new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
    .sign(privateKey);
  const expiresIn = expiresAt - issuedAt;
  signer.logger.info({ clientId, scope, expiresIn, kid, requestId }, 'token issued');
  return { accessToken, expiresIn, scope };
}

/** Returns the start and end of a token with this content, in seconds since 1970. */
export function lifetimeOf(
  { lifetimeMs }: Pick<TokenSigner, 'lifetimeMs'>,
  { certificate, user, now }: Pick<TokenContent, 'certificate' | 'user' | 'now'>,
): { issuedAt: number; expiresAt: number } {
  return tokenLifetime({
    now,
    lifetimeMs,
    certificateNotAfter: certificate.notAfter,
    consentValidUntil: user?.validUntil,
  });
}
