import type { DirectoryCertificate, DirectoryClient } from './client-directory.ts';

/** By how much a certificate may have ended and still counts, for clocks differ (§5.1). */
const CLOCK_TOLERANCE_SECONDS = 60;

/**
 * The certificate of the client with this thumbprint (base64url SHA-256 of its DER), ended or not, of a deleted client too;
 * undefined when it is not the client's. Whether a presented one has ended says its own verdict.
 */
export function certificateOf(
  { certificates }: Pick<DirectoryClient, 'certificates'>,
  thumbprint: string,
): DirectoryCertificate | undefined {
  return certificates.find((certificate) => certificate.thumbprint === thumbprint);
}

/** Those over which the client may call at `now`: none of a deleted one, and none that ended more than a minute ago. */
export function liveCertificates(
  { certificates, deleted }: Pick<DirectoryClient, 'certificates' | 'deleted'>,
  now: Date,
): DirectoryCertificate[] {
  const earliestEnd = now.getTime() / 1_000 - CLOCK_TOLERANCE_SECONDS;
  return deleted ? [] : certificates.filter(({ notAfter }) => Number(notAfter) >= earliestEnd);
}
