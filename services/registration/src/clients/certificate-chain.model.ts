import { createHash } from 'node:crypto';
import type { Verdict } from '@kontoport/certificates';
import type { CertificateChain, ChainCertificate } from './client.model.ts';

/** The chain of an accepted verdict as it is stored: the path that was built, leaf to trust anchor. */
export function toCertificateChain({ path, pathDer, displayName, roles }: Verdict): CertificateChain {
  const [leaf, ...issuers] = path.map((details, position): ChainCertificate => {
    const der = pathDer[position]!;
    return {
      ...details,
      der,
      thumbprint: createHash('sha256').update(der).digest('base64url'),
      notBefore: new Date(details.notBefore),
      notAfter: new Date(details.notAfter),
    };
  });
  if (!leaf) throw new TypeError('an accepted verdict has a path');
  return { displayName, roles, certificates: [leaf, ...issuers] };
}
