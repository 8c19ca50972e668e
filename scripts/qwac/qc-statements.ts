// The qcStatements extension of a QWAC (RFC 3739, ETSI EN 319 412-5, TS 119 495), written in DER by hand:
// the statement must re-encode to the same bytes, so nothing is left to a library's defaults.

/** Roles of a payment service provider, TS 119 495 §5.1. Kontoport grants access to PSP_PI and PSP_AI. */
export const PSP_ROLES = {
  PSP_AS: '0.4.0.19495.1.1',
  PSP_PI: '0.4.0.19495.1.2',
  PSP_AI: '0.4.0.19495.1.3',
  PSP_IC: '0.4.0.19495.1.4',
} as const;
export type PspRole = keyof typeof PSP_ROLES;

/** The national competent authority that supervises the provider; `id` as in `DK-DFSA`. */
export interface CompetentAuthority {
  name: string;
  id: string;
}

const QC_STATEMENTS = '1.3.6.1.5.5.7.1.3';
const QC_COMPLIANCE = '0.4.0.1862.1.1';
const QC_PDS = '0.4.0.1862.1.5';
const QC_TYPE = '0.4.0.1862.1.6';
const QC_TYPE_WEB = '0.4.0.1862.1.6.3';
const PSD2 = '0.4.0.19495.2';

const TAG = { oid: 0x06, utf8String: 0x0c, printableString: 0x13, ia5String: 0x16, sequence: 0x30 };

function tlv(tag: number, content: Buffer): Buffer {
  const length =
    content.length < 0x80
      ? [content.length]
      : content.length < 0x100
        ? [0x81, content.length]
        : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...items: Buffer[]): Buffer => tlv(TAG.sequence, Buffer.concat(items));
const utf8String = (text: string): Buffer => tlv(TAG.utf8String, Buffer.from(text, 'utf8'));

function oid(dotted: string): Buffer {
  const [first, second, ...rest] = dotted.split('.').map(Number);
  const base128 = (value: number): number[] => {
    const digits = [value & 0x7f];
    for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
    return digits;
  };
  return tlv(TAG.oid, Buffer.from([first! * 40 + second!, ...rest].flatMap(base128)));
}

/** The extension of a qualified website certificate with a PSD2 statement: its OID and its DER value. */
export function qcStatements(
  roles: readonly PspRole[],
  authority: CompetentAuthority,
): { oid: string; der: Buffer } {
  const disclosure = sequence(
    tlv(TAG.ia5String, Buffer.from('https://ca.sandbox.example/pds_en.pdf', 'latin1')),
    tlv(TAG.printableString, Buffer.from('en', 'latin1')),
  );
  return {
    oid: QC_STATEMENTS,
    der: sequence(
      sequence(oid(QC_COMPLIANCE)),
      sequence(oid(QC_TYPE), sequence(oid(QC_TYPE_WEB))),
      sequence(oid(QC_PDS), sequence(disclosure)),
      sequence(
        oid(PSD2),
        sequence(
          sequence(...roles.map((role) => sequence(oid(PSP_ROLES[role]), utf8String(role)))),
          utf8String(authority.name),
          utf8String(authority.id),
        ),
      ),
    ),
  };
}
