import { type Text, toReadable } from '@kontoport/errors';
import { CURES } from './texts.ts';

/** The requirement of each check, and its source. `CURES` has the correction to request from the issuer when the check fails. */
export interface CheckEntry {
  /**
   * The kind of rule. `validation`: binds validators (RFC 5280 §6 and the like). `profile`: binds QWACs. `issuer`: binds
   * issuers (RFC 5280 §4); ADR-0006 has where it refuses. `ours`: this project's decision.
   */
  readonly kind: 'validation' | 'profile' | 'issuer' | 'ours';
  readonly clause: string;
  readonly what: string;
  /** The errorCode of a refusal for this check; CERTIFICATE_INVALID when absent. */
  readonly errorCode?: 'CERTIFICATE_EXPIRED' | 'CERTIFICATE_REVOKED' | 'ROLE_INVALID' | 'UNAVAILABLE';
}

/** Every check a verdict is made of: the certificates one by one, the path, the leaf as a QWAC, its revocation. */
export const CHECKS = {
  encoding: {
    kind: 'ours',
    clause: 'RFC 5280 §4.1; X.690 §10, §11',
    what: 'The certificate is strict DER within the limits on size, depth and elements.',
  },
  version: {
    kind: 'validation',
    clause: 'RFC 5280 §4.1.2.1, §6.1.4 (k)',
    what: 'The certificate is X.509 version 3.',
  },
  'serial-number': {
    kind: 'issuer',
    clause: 'RFC 5280 §4.1.2.2',
    what: 'The serial number is positive and at most 20 octets long. A warning for an intermediate CA.',
  },
  'signature-algorithm': {
    kind: 'ours',
    clause: 'RFC 5280 §4.1.1.2; ETSI TS 119 312',
    what: 'Signed with SHA-256 or better by RSA, RSASSA-PSS or ECDSA, and both fields name the same algorithm.',
  },
  'public-key': {
    kind: 'ours',
    clause: 'ETSI TS 119 312; RFC 5480 §2.1.1.1, §2.2',
    what: 'The key is RSA of 2048 to 8192 bits, or EC on the named curve P-256, P-384 or P-521.',
  },
  names: {
    kind: 'issuer',
    clause: 'RFC 5280 §4.1.2.4, §4.1.2.6',
    what: 'The issuer has a name. So has the subject, unless a critical subjectAltName replaces it.',
  },
  'extensions-unique': {
    kind: 'issuer',
    clause: 'RFC 5280 §4.2',
    what: 'Every extension occurs once.',
  },
  'extensions-critical': {
    kind: 'validation',
    clause: 'RFC 5280 §4.2',
    what: 'Every critical extension is known.',
  },
  'extension-form': {
    kind: 'issuer',
    clause: 'RFC 5280 §4.2.1',
    what: 'Every known extension has the contents and criticality that the RFC demands. Criticality is a warning for an intermediate CA.',
  },
  'key-usage': {
    kind: 'validation',
    clause: 'RFC 5280 §4.2.1.3, §4.2.1.9, §6.1.4 (n)',
    what: 'The keyUsage of a CA contains keyCertSign; a CA without keyUsage gets a warning. Other certificates have no keyCertSign.',
  },
  'basic-constraints': {
    kind: 'validation',
    clause: 'RFC 5280 §4.2.1.9, §6.1.4 (k)',
    what: 'Every certificate above the leaf is a CA by its basicConstraints; one that is not critical is a warning for an intermediate CA.',
  },
  'name-constraints-place': {
    kind: 'issuer',
    clause: 'RFC 5280 §4.2.1.10',
    what: 'Only CA certificates have name constraints.',
  },
  'key-identifiers': {
    kind: 'issuer',
    clause: 'RFC 5280 §4.2.1.1, §4.2.1.2',
    what: 'A CA carries a subjectKeyIdentifier; what it issues names it in the authorityKeyIdentifier.',
  },
  'validity-begin': {
    kind: 'validation',
    clause: 'RFC 5280 §4.1.2.5, §6.1.3 (a)(2); Kontoport contract §5.1',
    what: 'The validity has begun; our clock may be 60 s behind.',
  },
  validity: {
    kind: 'validation',
    clause: 'RFC 5280 §4.1.2.5, §6.1.3 (a)(2); Kontoport contract §5.1',
    what: 'The validity has not ended; its last second is included.',
    errorCode: 'CERTIFICATE_EXPIRED',
  },
  'validity-form': {
    kind: 'issuer',
    clause: 'RFC 5280 §4.1.2.5',
    what: 'Dates are UTCTime to 2049 and GeneralizedTime from 2050, in seconds and UTC. A warning for a CA.',
  },
  issuer: {
    kind: 'validation',
    clause: 'RFC 5280 §6.1',
    what: 'A path leads from the certificate to a trust anchor.',
  },
  signature: {
    kind: 'validation',
    clause: 'RFC 5280 §6.1.3 (a)(1)',
    what: "The certificate's signature verifies with its issuer's key.",
  },
  'path-length': {
    kind: 'validation',
    clause: 'RFC 5280 §4.2.1.9, §6.1.4 (l), (m)',
    what: 'No CA has more CAs beneath it than its pathLenConstraint allows.',
  },
  'path-depth': {
    kind: 'ours',
    clause: 'Kontoport limit; RFC 5280 §6.1',
    what: 'The path has no more intermediate CAs, self-issued ones aside, than configured.',
  },
  'work-limit': {
    kind: 'ours',
    clause: 'Kontoport limit',
    what: 'The verdict needs no more certificates, signatures and comparisons than the budget allows.',
  },
  'name-constraints': {
    kind: 'validation',
    clause: 'RFC 5280 §4.2.1.10, §6.1.3 (b), (c)',
    what: 'Every name lies within the permitted and outside the excluded subtrees of the CAs above it.',
  },
  policies: {
    kind: 'validation',
    clause: 'RFC 5280 §6.1.3 (d) to (f), §6.1.5 (g)',
    what: 'Where a CA demands an explicit policy, one is valid along the whole path.',
  },
  'extended-key-usage': {
    kind: 'ours',
    clause: 'RFC 5280 §4.2.1.12',
    what: 'The extended key usage of the leaf and of every CA below the anchor, where there is one, allows the purpose of the connection.',
  },
  revocation: {
    kind: 'validation',
    clause: 'RFC 5280 §6.3; RFC 6960 §2.2',
    what: 'No certificate of the path is revoked by a valid CRL or OCSP answer of its issuer.',
    errorCode: 'CERTIFICATE_REVOKED',
  },
  'revocation-list': {
    kind: 'validation',
    clause: 'RFC 5280 §5, §6.3.3',
    what: 'The CRL given for an issuer is well-formed, current and signed by it.',
  },
  'end-entity': {
    kind: 'profile',
    clause: 'ETSI EN 319 412-4 §4.1; RFC 5280 §4.2.1.9',
    what: 'The website certificate is no CA certificate.',
  },
  'leaf-key-usage': {
    kind: 'profile',
    clause: 'ETSI EN 319 412-2 §4.3.2; RFC 5280 §4.2.1.3',
    what: 'keyUsage is present and contains digitalSignature.',
  },
  'leaf-extended-key-usage': {
    kind: 'profile',
    clause: 'ETSI EN 319 412-4 §4.1; RFC 5280 §4.2.1.12',
    what: 'extKeyUsage names clientAuth (id-kp-clientAuth), as the profile demands.',
  },
  'leaf-policy': {
    kind: 'profile',
    clause: 'ETSI EN 319 411-2 §5.3; EN 319 412-2 §4.3.3',
    what: 'A certificate policy is named.',
  },
  'qc-statements': {
    kind: 'profile',
    clause: 'RFC 3739 §3.2.6; ETSI EN 319 412-5 §4.1',
    what: 'The qcStatements extension is a DER sequence of statements, each known one once.',
  },
  'qc-compliance': {
    kind: 'profile',
    clause: 'ETSI EN 319 412-5 §4.2.1, §4.2.4',
    what: 'QcCompliance states that this is a qualified certificate. A reference to the law of another country (QcCClegislation) is a warning.',
  },
  'qc-type': {
    kind: 'profile',
    clause: 'ETSI EN 319 412-5 §4.2.3',
    what: 'QcType is web, and nothing else.',
  },
  'psd2-statement': {
    kind: 'profile',
    clause: 'ETSI TS 119 495 §5.1',
    what: 'The PSD2 QcStatement is present.',
  },
  'psd2-form': {
    kind: 'profile',
    clause: 'ETSI TS 119 495 §5.1, annex A; X.690 §10',
    what: 'The PSD2 QcStatement has the ASN.1 of TS 119 495 in strict DER, with UTF8Strings of 1 to 256 characters.',
  },
  'psd2-roles': {
    kind: 'profile',
    clause: 'ETSI TS 119 495 §5.2.2',
    what: 'At least one role is named, none twice.',
  },
  'psd2-role-names': {
    kind: 'profile',
    clause: 'ETSI TS 119 495 §5.2.2',
    what: "Each role's object identifier and name agree.",
  },
  'psd2-role-granted': {
    kind: 'profile',
    clause: 'ETSI TS 119 495 §5.2.2; Kontoport contract §2.1',
    what: 'One of the roles is PSP_AI or PSP_PI.',
    errorCode: 'ROLE_INVALID',
  },
  'organization-identifier': {
    kind: 'profile',
    clause: 'ETSI TS 119 495 §5.2.1; EN 319 412-1 §5.1.4',
    what: 'The subject carries exactly one organizationIdentifier, readable and of at most 256 characters.',
  },
  'organization-identifier-form': {
    kind: 'profile',
    clause: 'ETSI TS 119 495 §5.2.1',
    what: 'The organizationIdentifier has the form PSDcc-NCA-number.',
  },
  'nca-id-form': {
    kind: 'profile',
    clause: 'ETSI TS 119 495 §5.2.3',
    what: 'nCAId has the form cc-NCA: country, hyphen, two to eight capital letters.',
  },
  'nca-agreement': {
    kind: 'profile',
    clause: 'ETSI TS 119 495 §5.2.1, §5.2.3',
    what: 'organizationIdentifier and nCAId name the same competent authority.',
  },
  'revocation-status': {
    kind: 'validation',
    clause: 'RFC 6960 §3.2, §4.2.2; RFC 5280 §6.3.3',
    what: 'The OCSP responder or CRL that a certificate names gives a valid answer about it. A warning for soft-fail.',
  },
  'revocation-source': {
    kind: 'validation',
    clause: 'RFC 6960 §2.3; RFC 5280 §6.3.3 (a); Kontoport limit',
    what: 'The OCSP responder or CRL that a certificate names answers in time. A warning for soft-fail.',
    errorCode: 'UNAVAILABLE',
  },
} as const satisfies Readonly<Record<string, CheckEntry>>;

export type CheckId = keyof typeof CHECKS;

/** The result of one check. */
export interface Check {
  readonly check: CheckId;
  readonly result: 'passed' | 'failed' | 'warning';
  /** The finding, in words. */
  readonly evidence: string;
  readonly clause: string;
}

const MAX_EVIDENCE = 500;

/** Evidence quotes certificates of strangers, so it is bounded and readable. */
function make(check: CheckId, result: Check['result'], evidence: string): Check {
  const bounded = evidence.length > MAX_EVIDENCE ? `${evidence.slice(0, MAX_EVIDENCE)}…` : evidence;
  return { check, result, evidence: toReadable(bounded), clause: CHECKS[check].clause };
}

export const passed = (check: CheckId, evidence: string): Check => make(check, 'passed', evidence);
export const failed = (check: CheckId, evidence: string): Check => make(check, 'failed', evidence);
export const warning = (check: CheckId, evidence: string): Check => make(check, 'warning', evidence);

/** Returns the advice for a failed check. */
export function cureOf(check: CheckId): Text {
  return CURES(check);
}

/** The table as Markdown, for the documentation. */
export function checkTableAsMarkdown(): string {
  const rows = Object.entries<CheckEntry>(CHECKS).map(
    ([id, { kind, what, clause }]) =>
      `| \`${id}\` | ${kind} | ${what} | ${clause} | ${cureOf(id as CheckId).in('en')} |`,
  );
  const head = ['| check | kind | what must hold | clause | when it fails |', '|---|---|---|---|---|'];
  return [...head, ...rows, ''].join('\n');
}
