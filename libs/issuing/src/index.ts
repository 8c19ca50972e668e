export {
  type Draft,
  type Issued,
  type Issuer,
  type IssuerFiles,
  type KeyKind,
  type KeyPair,
  certificatePem,
  readIssuer,
} from './issue-certificate.ts';
export type { SignatureAlgorithm } from './signed.ts';
export { mintCa } from './mint-ca.ts';
export {
  checkRequest,
  type MintOptions,
  MintRefused,
  type Qwac,
  type QwacRequest,
  certifyRequest,
  mintQwac,
  slug,
} from './mint.ts';
export { mintTls, type TlsRequest } from './mint-tls.ts';
export { PSP_ROLES, type PspRole, encodeQcCompliance, encodeQcType } from './qwac-statements.ts';
export { type Deviation, type Fault, having, without } from './fault.ts';
export { FAULTS, type FaultName, faultList, isFaultName } from './faults.ts';
export {
  type SandboxCa,
  authorityFiles,
  ensureSandboxCa,
  namesResponder,
  responderOf,
} from './sandbox-ca.ts';
export { crlAt, ocspAt } from './revocation-sources.ts';
export { certificateParts } from './certificate-parts.ts';
export { type OcspSigner, type OcspStatus, encodeCertId, writeOcspResponse } from './ocsp-response.ts';
export { writeCrl } from './crl.ts';
export { type RevocationReason, RevocationRefused, revoke } from './revoked.ts';
export { currentCrls, REVOCATION_KNOWN_WITHIN_MS, type Responder, startResponder } from './responder.ts';
export { keyStore } from './key-store.ts';
export { writeFileAtomically } from './write-file.ts';
