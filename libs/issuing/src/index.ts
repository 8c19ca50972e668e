export {
  type Draft,
  type Issued,
  type Issuer,
  type IssuerFiles,
  type KeyKind,
  type KeyPair,
  type SignatureAlgorithm,
  certificatePem,
  readIssuer,
} from './issue-certificate.ts';
export { type CaRequest, mintCa } from './mint-ca.ts';
export {
  LONGEST_DAYS,
  type MintOptions,
  MintRefused,
  type Qwac,
  type QwacRequest,
  mintQwac,
  slug,
} from './mint.ts';
export { PSP_ROLES, type PspRole, encodeQcCompliance, encodeQcType } from './qwac-statements.ts';
export { type Deviation, type Fault, having, without } from './fault.ts';
export { FAULTS, type FaultName, faultList, isFaultName } from './faults.ts';
export { type SandboxCa, ensureSandboxCa } from './sandbox-ca.ts';
export { writeFileAtomically } from './write-file.ts';
