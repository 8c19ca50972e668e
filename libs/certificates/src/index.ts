export { TAG } from './der/tag.ts';
export { derElement, derOid, derSequence, derUtf8String } from './der/der-writer.ts';
export { OID, ROLE_NAMES, ROLE_OIDS } from './x509/oids.ts';
export { contents, DerError, encoded, readDer, readOid } from './der/der-reader.ts';
export { type Certificate, readCertificate } from './x509/certificate.ts';
export { type Place, checkCertificate, checkValidity } from './path/certificate-rules.ts';
export { certificateDetails } from './x509/certificate-details.ts';
export { CertificateStore } from './path/certificate-store.ts';
export { faultOfCompleteChain } from './path/complete-chain.ts';
export { CHECKS, type Check, type CheckEntry, type CheckId, cureOf } from './check-table.ts';
export { namedAttributes } from './x509/names.ts';
export { type RevocationList, readRevocationList } from './revocation/crl.ts';
export type { RevocationMode, RevocationOptions } from './revocation/revocation.ts';
export { type Psd2Statement, type StatedRole, encodePsd2Statement } from './qwac/qc-statements.ts';
export { type QwacResult, type Role, checkQwac } from './qwac/qwac-rules.ts';
export { DEFAULT_MAX_DEPTH, PATH_LIMITS, validatePath } from './path/validate-path.ts';
export { type Verdict, type VerdictProfile, verdict } from './verdict.ts';
export { type Verifier, openVerifier } from './verifier.ts';
export { CertificateFolderError, type FolderReport } from './path/certificate-folder.ts';
export {
  CertificateInputError,
  type InputFault,
  readCertificates,
  splitCertificates,
  splitRevocationLists,
} from './x509/read-certificates.ts';
