// Faults of the qcStatements extension (ETSI EN 319 412-5) and of the PSD2 statement in it (TS 119 495).
import {
  derElement,
  derOid,
  derSequence,
  derUtf8String,
  encodePsd2Statement,
  OID,
  type Psd2Statement,
  ROLE_OIDS,
  type StatedRole,
  TAG,
} from '@kontoport/certificates';
import { type Fault, without } from './fault.ts';
import { encodeQcType, type PspRole, type QwacStatements } from './qwac-statements.ts';

/** All statements, with another QcType. */
const ofTypes =
  (...types: readonly string[]) =>
  ({ compliance, disclosure, psd2 }: QwacStatements) => [compliance, encodeQcType(types), disclosure, psd2];

/** All statements, with other bytes for the PSD2 statement. */
const withPsd2 =
  (psd2: (good: QwacStatements) => Uint8Array) =>
  (good: QwacStatements): readonly Uint8Array[] => [good.compliance, good.type, good.disclosure, psd2(good)];

/** All statements, with other contents of the PSD2 statement. */
const saying = (change: (good: Psd2Statement) => Partial<Psd2Statement>) =>
  withPsd2(({ content }) => encodePsd2Statement({ ...content, ...change(content) }));

const role = (name: PspRole): StatedRole => ({ oid: ROLE_OIDS[name], name });

/** Encodes a SEQUENCE with a longer length than needed: BER, not DER. */
function withLongLength(sequence: Uint8Array): Uint8Array {
  const lengthOctets = sequence[1]! < 0x80 ? 1 : 1 + (sequence[1]! & 0x7f);
  const contents = sequence.subarray(1 + lengthOctets);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(contents.length);
  return Buffer.concat([Buffer.of(TAG.sequence, 0x84), length, contents]);
}

/** The PSD2 statement with nCAId as PrintableString, which its ASN.1 does not allow. */
const printableNcaId = ({ roles, ncaName, ncaId }: Psd2Statement): Uint8Array =>
  derSequence([
    derOid(OID.psd2Statement),
    derSequence([
      derSequence(roles.map(({ oid, name }) => derSequence([derOid(oid), derUtf8String(name)]))),
      derUtf8String(ncaName),
      derElement(TAG.printableString, Buffer.from(ncaId, 'latin1')),
    ]),
  ]);

/** Faults of the qualified and PSD2 statements, by name. */
export const STATEMENT_FAULTS = {
  'no-qc-statements': {
    summary: 'It carries no qcStatements: an ordinary certificate for TLS.',
    check: 'qc-compliance',
    also: ['qc-type', 'psd2-statement'],
    leaf: without(OID.qcStatements),
  },
  'duplicate-statement': {
    summary: 'QcCompliance stands twice in its qcStatements.',
    check: 'qc-statements',
    statements: ({ compliance, type, disclosure, psd2 }) => [compliance, compliance, type, disclosure, psd2],
  },
  'no-qc-compliance': {
    summary: 'It does not state that it is qualified (no QcCompliance).',
    check: 'qc-compliance',
    statements: ({ type, disclosure, psd2 }) => [type, disclosure, psd2],
  },
  seal: {
    summary: 'It is for electronic seals (QcType eseal), not for websites.',
    check: 'qc-type',
    statements: ofTypes(OID.qcTypeEseal),
  },
  sign: {
    summary: 'It is for electronic signatures (QcType esign), not for websites.',
    check: 'qc-type',
    statements: ofTypes(OID.qcTypeEsign),
  },
  'no-qc-type': {
    summary: 'It does not state what it is for (no QcType).',
    check: 'qc-type',
    statements: ({ compliance, disclosure, psd2 }) => [compliance, disclosure, psd2],
  },
  'two-qc-types': {
    summary: 'It is for websites and for electronic seals at once (QcType web and eseal).',
    check: 'qc-type',
    statements: ofTypes(OID.qcTypeWeb, OID.qcTypeEseal),
  },
  'no-psd2-statement': {
    summary: 'It carries no PSD2 statement: a QWAC, but of no payment service provider.',
    check: 'psd2-statement',
    statements: ({ compliance, type, disclosure }) => [compliance, type, disclosure],
  },
  'non-minimal-der': {
    summary: 'The length of its PSD2 statement takes more octets than it needs (BER, not DER).',
    check: 'psd2-form',
    statements: withPsd2(({ psd2 }) => withLongLength(psd2)),
  },
  'nca-not-utf8': {
    summary: 'Its nCAId is a PrintableString instead of a UTF8String.',
    check: 'psd2-form',
    statements: withPsd2(({ content }) => printableNcaId(content)),
  },
  'empty-nca-name': {
    summary: 'The name of its competent authority is empty.',
    check: 'psd2-form',
    statements: saying(() => ({ ncaName: '' })),
  },
  'no-roles': {
    summary: 'Its list of roles is empty.',
    check: 'psd2-roles',
    statements: saying(() => ({ roles: [] })),
  },
  'duplicate-role': {
    summary: 'One role stands twice.',
    check: 'psd2-roles',
    statements: saying(({ roles }) => ({ roles: [...roles, ...roles.slice(0, 1)] })),
  },
  'role-mismatch': {
    summary: 'Object identifier and name of its role disagree.',
    check: 'psd2-role-names',
    statements: saying(() => ({ roles: [{ oid: ROLE_OIDS.PSP_AI, name: 'PSP_PI' }] })),
  },
  'unknown-role': {
    summary: 'Its only role is one that TS 119 495 does not know.',
    check: 'psd2-role-granted',
    statements: saying(() => ({ roles: [{ oid: '0.4.0.19495.1.99', name: 'PSP_XX' }] })),
  },
  'other-roles': {
    summary: 'Its roles are PSP_AS and PSP_IC, which open nothing here.',
    check: 'psd2-role-granted',
    statements: saying(() => ({ roles: [role('PSP_AS'), role('PSP_IC')] })),
  },
  'qc-type-as-statement': {
    summary: 'It names QcType web a second time, as if that were a statement.',
    check: 'qc-statements',
    result: 'warning',
    statements: ({ compliance, type, disclosure, psd2 }) => [
      compliance,
      type,
      derSequence([derOid(OID.qcTypeWeb)]),
      disclosure,
      psd2,
    ],
  },
  'nca-id-form': {
    summary: 'Its nCAId is the bare DFSA, not of the form cc-NCA.',
    check: 'nca-id-form',
    also: ['nca-agreement'],
    result: 'warning',
    statements: saying(() => ({ ncaId: 'DFSA' })),
  },
  'nca-mismatch': {
    summary: 'Its organizationIdentifier and its nCAId name two authorities.',
    check: 'nca-agreement',
    result: 'warning',
    statements: saying(({ ncaId }) => ({ ncaId: ncaId === 'SE-FINA' ? 'DK-DFSA' : 'SE-FINA' })),
  },
} as const satisfies Readonly<Record<string, Fault>>;
