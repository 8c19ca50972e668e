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

/** An added chain in PEM has at most so many characters and certificates; a QWAC with its issuers has three or four. */
export const MAX_PEM_CHARACTERS = 40_000;
const MAX_CERTIFICATES = 10;

const TEXT_OF_FAULT: Partial<Record<InputFault, Text>> = {
  'private-key': TEXTS('pem-private-key'),
  pkcs12: TEXTS('pem-private-key'),
  'certificate-request': TEXTS('pem-request'),
  'too-many': TEXTS('pem-too-many', { most: MAX_CERTIFICATES }),
};

/**
 * The certificates of an added chain, in the order in which they were sent (§4.2).
 * @param pem of at most `MAX_PEM_CHARACTERS`
 * @throws ApiError FORMAT_ERROR (400) for all that is no chain; nothing of the input stands in it or behind it
 */
export function readChain(pem: string): readonly Certificate[] {
  try {
    return readCertificates(Buffer.from(pem), { maxCertificates: MAX_CERTIFICATES });
  } catch (error) {
    if (!(error instanceof CertificateInputError)) throw error;
    // Without the error as its cause: what is no chain may be a key.
    throw chainRefused(TEXT_OF_FAULT[error.fault] ?? TEXTS('pem-invalid'));
  }
}

/** Refuses a `certificate` that is not a complete chain (400). */
export function chainRefused(text: Text): ApiError {
  return new ApiError('FORMAT_ERROR', text, { details: [{ path: 'certificate', text }] });
}
