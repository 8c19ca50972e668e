/** Consents that end sooner get no token: it could not expire before the consent. */
export const LEAST_CONSENT_MS = 1_000;

/**
 * When a token issued now begins and ends, in seconds since 1970: after its lifetime, but never past the
 * certificate it is bound to (RFC 8705), nor past the consent that it acts under (§5.9). A certificate is taken for a minute
 * beyond its end (§5.1): a token of that minute lives for a second.
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
