import { createHash } from 'node:crypto';
import {
  type Certificate,
  CertificateInputError,
  type InputFault,
  readCertificates,
  type Verdict,
} from '@kontoport/certificates';
import { ApiError, type Text } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';
import type { CertificateChain, ChainCertificate } from './client.model.ts';

/** Converts the chain of an accepted verdict for storage: the verified path, leaf to trust anchor. */
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

/** Maximum characters and certificates of an added chain in PEM. A QWAC with its issuers has three or four certificates. */
export const MAX_PEM_CHARACTERS = 40_000;
const MAX_CERTIFICATES = 10;

const TEXT_OF_FAULT: Partial<Record<InputFault, Text>> = {
  'private-key': TEXTS('pem-private-key'),
  pkcs12: TEXTS('pem-private-key'),
  'certificate-request': TEXTS('pem-request'),
  'too-many': TEXTS('pem-too-many', { most: MAX_CERTIFICATES }),
};

/**
 * Reads the certificates of an added chain, in the order in which they were sent (§4.2).
 * @param pem of at most `MAX_PEM_CHARACTERS`
 * @throws ApiError FORMAT_ERROR (400) for an invalid chain; neither the error nor its cause contains any input
 */
export function readChain(pem: string): readonly Certificate[] {
  try {
    return readCertificates(Buffer.from(pem), { maxCertificates: MAX_CERTIFICATES });
  } catch (error) {
    if (!(error instanceof CertificateInputError)) throw error;
    // Without the error as its cause: an invalid chain may be a private key.
    throw chainRefused(TEXT_OF_FAULT[error.fault] ?? TEXTS('pem-invalid'));
  }
}

/** Refuses a `certificate` that is not a complete chain (400). */
export function chainRefused(text: Text): ApiError {
  return new ApiError('FORMAT_ERROR', text, { details: [{ path: 'certificate', text }] });
}
