import { hash } from 'node:crypto';
import type { SecureContext } from 'node:tls';
import type { Role } from '@kontoport/certificates';
import { ApiError } from '@kontoport/errors';
import { uuid } from '@kontoport/http';
import type { JWTVerifyGetKey } from 'jose';
import * as errors from 'jose/errors';
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote';
import { jwtVerify } from 'jose/jwt/verify';
import { z } from 'zod';
import { fetchInside } from './fetch-inside.ts';
import { GATE_TEXTS } from './texts.ts';

/** The claims of a verified access token (RFC 9068, RFC 8705). */
export interface AccessToken {
  /** `jti`: identifies the token for a revocation (§4.1). */
  tokenId: string;
  clientId: string;
  scopes: readonly Role[];
  /** base64url SHA-256 of the certificate over which it was issued. */
  certificateThumbprint: string;
  /** Present when a user authorized it; absent for client credentials. */
  consentId?: string;
  /** Seconds since 1970. */
  expiresAt: number;
}

/** `aud` of every access token: the interface as a whole. */
export const TOKEN_AUDIENCE = 'kontoport';

const MAX_TOKEN_LENGTH = 4_096;
const MAX_CACHED = 10_000;
/** Seconds by which the clock of the issuer may be ahead of ours. */
const MAX_AHEAD_SECONDS = 60;

const claims = z.object({
  sub: uuid,
  client_id: uuid,
  scope: z.string(),
  exp: z.number().int(),
  iat: z.number().int(),
  jti: z.string().min(1).max(64),
  cnf: z.object({ 'x5t#S256': z.string().length(43) }),
  consent_id: uuid.optional(),
});

/** Verifies the token of an `Authorization` header. */
export type VerifyAccessToken = (
  authorization: string | undefined,
  now: Date,
) => AccessToken | Promise<AccessToken>;

/**
 * Verifies ES256 access tokens against the JWKS of auth. It caches verified tokens by their hash until they expire.
 * @throws ApiError TOKEN_MISSING, TOKEN_INVALID, TOKEN_EXPIRED; UNAVAILABLE without the keys.
 */
export function createAccessTokenVerifier(options: {
  /** The address of auth's keys, or another way to find them. */
  keys: string | JWTVerifyGetKey;
  /** Own certificate and trusted authorities of the fetch of the keys. Absent: the URL decides. */
  tls?: SecureContext | undefined;
  issuer: string;
}): VerifyAccessToken {
  const keys = typeof options.keys === 'string' ? remoteKeys(options.keys, options.tls) : options.keys;
  const verified = new Map<string, AccessToken>();

  return (authorization, now) => {
    const token = bearerToken(authorization);
    const key = hash('sha256', token, 'base64');
    const known = verified.get(key);
    if (known) {
      if (known.expiresAt * 1_000 > now.getTime()) return known;
      verified.delete(key);
      throw expired();
    }
    return verify(token, now).then((accessToken) => {
      if (verified.size >= MAX_CACHED) verified.delete(verified.keys().next().value!);
      verified.set(key, accessToken);
      return accessToken;
    });
  };

  async function verify(token: string, now: Date): Promise<AccessToken> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: options.issuer,
        audience: TOKEN_AUDIENCE,
        algorithms: ['ES256'],
        typ: 'at+jwt',
        currentDate: now,
      });
      const { jti, client_id, scope, exp, iat, cnf, consent_id } = claims.parse(payload);
      if (iat * 1_000 > now.getTime() + MAX_AHEAD_SECONDS * 1_000)
        throw new ApiError('TOKEN_INVALID', GATE_TEXTS('token-from-future'));
      return {
        tokenId: jti,
        clientId: client_id,
        scopes: scope.split(' ').filter((role): role is Role => role === 'PSP_AI' || role === 'PSP_PI'),
        certificateThumbprint: cnf['x5t#S256'],
        ...(consent_id === undefined ? {} : { consentId: consent_id }),
        expiresAt: exp,
      };
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (error instanceof errors.JWTExpired) throw expired();
      if (isRefusal(error))
        throw new ApiError('TOKEN_INVALID', GATE_TEXTS('token-invalid'), {
          cause: error,
        });
      throw new ApiError('UNAVAILABLE', GATE_TEXTS('token-unverifiable'), {
        cause: error,
      });
    }
  }
}

/** Created with the first token, because it makes Node load all of its fetch. */
function remoteKeys(url: string, tls: SecureContext | undefined): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | undefined;
  return (header, token) => {
    keys ??= createRemoteJWKSet(new URL(url), {
      timeoutDuration: 2_000,
      cooldownDuration: 5_000,
      cacheMaxAge: 5 * 60_000,
      [customFetch]: tls === undefined ? fetch : fetchInside(tls),
    });
    return keys(header, token);
  };
}

/** Whether the token itself is invalid, as opposed to a failed fetch of the keys. */
function isRefusal(error: unknown): boolean {
  if (error instanceof z.ZodError) return true;
  if (!(error instanceof errors.JOSEError)) return false;
  return (
    !(error instanceof errors.JWKSTimeout) &&
    !(error instanceof errors.JWKSInvalid) &&
    error.code !== 'ERR_JOSE_GENERIC'
  );
}

function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) throw new ApiError('TOKEN_MISSING', GATE_TEXTS('token-missing'));
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(authorization)?.[1];
  if (token === undefined || token.length > MAX_TOKEN_LENGTH)
    throw new ApiError('TOKEN_INVALID', GATE_TEXTS('token-malformed'));
  return token;
}

function expired(): ApiError {
  return new ApiError('TOKEN_EXPIRED', GATE_TEXTS('token-expired'));
}
