export { TAG, derElement, derOid, derSequence, derUtf8String } from './der-writer.ts';
export { OID, ROLE_NAMES, ROLE_OIDS } from './oids.ts';
export { DerError, readDer } from './der-reader.ts';
export { type Certificate, readCertificate } from './certificate.ts';
export { type Place, checkCertificate, checkValidity } from './certificate-rules.ts';
export { type CertificateDetails, certificateDetails } from './certificate-details.ts';
export { CertificateStore } from './certificate-store.ts';
export { faultOfCompleteChain } from './complete-chain.ts';
export {
  CHECKS,
  type Check,
  type CheckEntry,
  type CheckId,
  checkTableAsMarkdown,
  cureOf,
} from './check-table.ts';
export { printable } from './names.ts';
export { type RevocationList, readRevocationList } from './crl.ts';
export type { RevocationAnswer, RevocationFetch, RevocationRequest } from './revocation/revocation-fetch.ts';
export type { RevocationMode, RevocationOptions } from './revocation/revocation.ts';
export { type Psd2Statement, type StatedRole, encodePsd2Statement } from './qc-statements.ts';
export { type QwacProfile, type QwacResult, type Role, checkQwac } from './qwac-rules.ts';
export {
  DEFAULT_MAX_DEPTH,
  PATH_LIMITS,
  type PathOptions,
  type PathResult,
  validatePath,
} from './validate-path.ts';
export {
  type Verdict,
  type VerdictFailure,
  type VerdictOptions,
  type VerdictProfile,
  verdict,
} from './verdict.ts';
export { type Verifier, type VerifierOptions, openVerifier } from './verifier.ts';
export { type AnchorReport, TrustAnchorError, openTrustAnchors, readTrustAnchors } from './trust-anchors.ts';
export {
  CertificateInputError,
  type InputFault,
  readCertificates,
  splitCertificates,
  splitRevocationLists,
} from './read-certificates.ts';
