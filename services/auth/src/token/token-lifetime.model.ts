/** A consent with a shorter rest gets no token, because the token could not expire before the consent. */
export const LEAST_CONSENT_MS = 1_000;

/**
 * Returns the begin and end of a token issued now, in seconds since 1970: its lifetime, but at most until the end of its
 * certificate (RFC 8705) and of its consent (§5.9). A certificate is accepted for a minute beyond its end (§5.1). A token
 * issued in that minute lives for a second.
 */
export function tokenLifetime(options: {
  now: Date;
  lifetimeMs: number;
  /** Milliseconds since 1970. */
  certificateNotAfter: number;
  consentValidUntil?: Date | undefined;
}): { issuedAt: number; expiresAt: number } {
  const { now, lifetimeMs, certificateNotAfter, consentValidUntil } = options;
  const issuedAt = seconds(now.getTime());
  const expiresAt = Math.min(
    issuedAt + Math.floor(lifetimeMs / 1_000),
    Math.max(seconds(certificateNotAfter), issuedAt + 1),
    consentValidUntil === undefined ? Infinity : seconds(consentValidUntil.getTime()),
  );
  return { issuedAt, expiresAt };
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000);
}
