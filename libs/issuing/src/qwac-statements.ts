// The qcStatements extension of a QWAC (RFC 3739, ETSI EN 319 412-5, TS 119 495).
import 'reflect-metadata';
import {
  derElement,
  derOid,
  derSequence,
  encodePsd2Statement,
  OID,
  type Psd2Statement,
  ROLE_OIDS,
  TAG,
} from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';

/** The roles of a minted QWAC (TS 119 495 §5.1). Kontoport grants access to PSP_PI and PSP_AI. */
export const PSP_ROLES = ['PSP_AS', 'PSP_PI', 'PSP_AI', 'PSP_IC'] as const;
export type PspRole = (typeof PSP_ROLES)[number];

/** QcType naming the given types (EN 319 412-5 §4.2.3). */
export function encodeQcType(types: readonly string[]): Uint8Array {
  return derSequence([derOid(OID.qcType), derSequence(types.map(derOid))]);
}

/** QcCompliance (EN 319 412-5 §4.2.1). */
export function encodeQcCompliance(): Uint8Array {
  return derSequence([derOid(OID.qcCompliance)]);
}

/** QcPDS: the addresses of the disclosure statement, by language (EN 319 412-5 §4.3.4). */
function encodeQcPds(locations: readonly { readonly url: string; readonly language: string }[]): Uint8Array {
  const location = ({ url, language }: { url: string; language: string }) =>
    derSequence([
      derElement(TAG.ia5String, Buffer.from(url, 'latin1')),
      derElement(TAG.printableString, Buffer.from(language, 'latin1')),
    ]);
  return derSequence([derOid(OID.qcPds), derSequence(locations.map(location))]);
}

/** The national competent authority that supervises the provider; `id` as in `DK-DFSA`. */
export interface CompetentAuthority {
  readonly name: string;
  readonly id: string;
}

/** The statements of a qualified website certificate for PSD2, each in DER; `content` is the result of `psd2`. */
export interface QwacStatements {
  readonly compliance: Uint8Array;
  readonly type: Uint8Array;
  readonly disclosure: Uint8Array;
  readonly psd2: Uint8Array;
  readonly content: Psd2Statement;
}

/** The statements that a provider with these roles needs. */
export function qwacStatements(roles: readonly PspRole[], authority: CompetentAuthority): QwacStatements {
  const content: Psd2Statement = {
    roles: roles.map((name) => ({ oid: ROLE_OIDS[name], name })),
    ncaName: authority.name,
    ncaId: authority.id,
  };
  return {
    compliance: encodeQcCompliance(),
    type: encodeQcType([OID.qcTypeWeb]),
    disclosure: encodeQcPds([{ url: 'https://ca.sandbox.example/pds_en.pdf', language: 'en' }]),
    psd2: encodePsd2Statement(content),
    content,
  };
}

/** The extension that holds the given statements. */
export function qcStatementsExtension(statements: readonly Uint8Array[]): x509.Extension {
  return new x509.Extension(OID.qcStatements, false, Uint8Array.from(derSequence(statements)));
}
