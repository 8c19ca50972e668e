import type { KnownCertificate } from './known-client.model.ts';

/** A certificate as it is stored: `thumbprint:notAfter:roles`, the end in seconds since 1970, a comma between roles. */
export function toKnownCertificate(word: string): KnownCertificate {
  const [thumbprint, notAfter, roles] = word.split(':') as [string, string, string];
  return { thumbprint, notAfter: BigInt(notAfter), roles: roles === '' ? [] : roles.split(',') };
}

/** What is stored of the leaves of a client's chains: a word each, with a blank between them. */
export function storedCertificates(
  leaves: readonly { thumbprint: string; notAfter: Date; roles: readonly string[] }[],
): string {
  return leaves
    .map(
      ({ thumbprint, notAfter, roles }) =>
        `${thumbprint}:${Math.floor(notAfter.getTime() / 1_000)}:${roles.join(',')}`,
    )
    .join(' ');
}
