/**
 * When a token issued now begins and ends, in seconds since 1970: after its lifetime, but never past the
 * certificate it is bound to (RFC 8705). A certificate is taken for a minute beyond its end (§5.1): a token of that minute
 * lives for a second.
 */
export function tokenLifetime(options: { now: Date; lifetimeMs: number; certificateNotAfter: Date }): {
  issuedAt: number;
  expiresAt: number;
} {
  const { now, lifetimeMs, certificateNotAfter } = options;
  const issuedAt = Math.floor(now.getTime() / 1_000);
  const expiresAt = Math.min(
    issuedAt + Math.floor(lifetimeMs / 1_000),
    Math.max(Math.floor(certificateNotAfter.getTime() / 1_000), issuedAt + 1),
  );
  return { issuedAt, expiresAt };
}
