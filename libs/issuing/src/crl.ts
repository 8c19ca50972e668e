// Writes certificate revocation lists (RFC 5280 §5).
import 'reflect-metadata';
import { derElement, derOid, derSequence, OID, TAG } from '@kontoport/certificates';
import type * as x509 from '@peculiar/x509';
import { derName, type Issuer } from './issue-certificate.ts';
import { derReason } from './ocsp-response.ts';
import { identifierOf, signatureAlgorithmOf, signed } from './signed.ts';
import { derTime } from './time.ts';

/** One line of a list. `reason` is a CRLReason (RFC 5280 §5.3.1); absent: unspecified. */
export interface CrlEntry {
  /** The whole INTEGER, DER. */
  readonly serial: Uint8Array;
  readonly at: Date;
  readonly reason?: number;
}

/** A list to be written. */
export interface CrlDraft {
  readonly signer: Issuer;
  /** The issuer that the list names. Absent: the signer. */
  readonly name?: Issuer;
  /** Increases with each list. */
  readonly number: bigint;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
  readonly entries: readonly CrlEntry[];
  /** Extensions besides the CRL number. */
  readonly extensions: readonly x509.Extension[];
}

const VERSION_2 = derElement(TAG.integer, Buffer.of(1));

const extension = (id: string, value: Uint8Array): Uint8Array =>
  derSequence([derOid(id), derElement(TAG.octetString, value)]);

/** A non-negative INTEGER. */
function derInteger(value: bigint): Uint8Array {
  const digits = value.toString(16);
  const octets = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return derElement(TAG.integer, octets[0]! < 0x80 ? octets : Buffer.concat([Buffer.of(0), octets]));
}

function encodeEntry({ serial, at, reason }: CrlEntry): Uint8Array {
  const extensions =
    reason === undefined ? [] : [derSequence([extension(OID.reasonCode, derReason(reason))])];
  return derSequence([serial, derTime(at, 'by-year'), ...extensions]);
}

/** A signed revocation list, DER. */
export function writeCrl(draft: CrlDraft): Buffer {
  const { signer, name = signer, entries } = draft;
  const algorithm = signer.signatureAlgorithm ?? signatureAlgorithmOf(signer.key);
  const tbs = derSequence([
    VERSION_2,
    identifierOf(algorithm),
    derName(name.certificate.subjectName),
    derTime(draft.thisUpdate, 'by-year'),
    derTime(draft.nextUpdate, 'by-year'),
    // An empty list must be absent (RFC 5280 §5.1.2.6).
    ...(entries.length === 0 ? [] : [derSequence(entries.map(encodeEntry))]),
    derElement(
      0xa0,
      derSequence([
        extension(OID.crlNumber, derInteger(draft.number)),
        ...draft.extensions.map(({ rawData }) => new Uint8Array(rawData)),
      ]),
    ),
  ]);
  return signed({ tbs, key: signer.key, algorithm });
}
