// The qcStatements extension of a QWAC (RFC 3739, ETSI EN 319 412-5, TS 119 495).
import 'reflect-metadata';
import {
  type Psd2Statement,
  OID,
  derSequence,
  encodePsd2Statement,
  encodeQcCompliance,
  encodeQcPds,
  encodeQcType,
} from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';

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
  readonly name: string;
  readonly id: string;
}

/** The statements of a qualified website certificate for PSD2, each in DER; `content` is what `psd2` says. */
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
    roles: roles.map((name) => ({ oid: PSP_ROLES[name], name })),
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
