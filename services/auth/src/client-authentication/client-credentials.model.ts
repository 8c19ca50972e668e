import { ApiError, type Text } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

/** The credentials that a client presents beside its certificate. */
export interface ClientCredentials {
  clientId: string;
  /** Absent when the certificate alone authenticates the client (RFC 8705 §2.1). */
  presented?: PresentedSecret;
}

/** A secret as the client presented it. */
export interface PresentedSecret {
  /** The Authorization header. */
  basic: string;
  /** The client's revision when registration last accepted this header over this certificate. */
  cachedRevision: bigint | undefined;
  /** Decodes the header. */
  clientSecret: () => string;
}

/** The time of a call, a signal that aborts when its caller disconnects, and the identity of the caller for logs. */
export interface CallContext {
  readonly now: Date;
  readonly signal: AbortSignal;
  readonly identity: { clientId?: string };
}

/** Refuses wrong credentials. The answer is the same whichever part is wrong. */
export function refusedCredentials(): ApiError {
  return invalidClient(TEXTS('credentials-refused'));
}

/** Refuses a client id over a certificate after too many failures. Correct credentials are refused, too, so that guesses reveal nothing. */
export function tooManyFailures(retryAfterSeconds: number): ApiError {
  return new ApiError('RATE_LIMITED', TEXTS('failures-of-client', { seconds: retryAfterSeconds }), {
    retryAfterSeconds,
  });
}

/** Refuses an organization after too many failures. Cached credentials stay valid. */
export function tooManyFailuresOfOrganization(retryAfterSeconds: number): ApiError {
  return new ApiError('RATE_LIMITED', TEXTS('failures-of-organization', { seconds: retryAfterSeconds }), {
    retryAfterSeconds,
  });
}

/** Refuses a client at the token endpoint (RFC 6749 §5.2). */
export function invalidClient(text: Text): ApiError {
  return new ApiError('CLIENT_UNKNOWN', text, { status: 401, oauthError: 'invalid_client' });
}
