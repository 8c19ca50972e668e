import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import {
  type Draft,
  issueCertificate,
  type Issued,
  type Issuer,
  type KeyKind,
  type KeyPair,
} from './issue-certificate.ts';
import type { SignatureAlgorithm } from './signed.ts';

/** A certificate authority to create. */
export interface CaRequest {
  /** Its common name. */
  readonly name: string;
  /** Absent: the sandbox's. */
  readonly organization?: string;
  readonly at: Date;
  /** Absent: self-signed. */
  readonly issuer?: Issuer;
  /** Validity in days; absent: one year. */
  readonly days?: number;
  /** The number of CAs allowed beneath it; absent: any. */
  readonly pathLength?: number;
  readonly keyKind?: KeyKind;
  /** The keys of an existing CA, for its second certificate. */
  readonly keys?: KeyPair;
  readonly signatureAlgorithm?: SignatureAlgorithm;
  /** Fields of its certificate to replace. */
  readonly change?: (good: Draft) => Partial<Draft>;
}

const YEAR_DAYS = 365;

/** Creates a CA that may sign certificates and CRLs. */
export function mintCa(ca: CaRequest): Promise<Issued> {
  const { name, organization = 'Kontoport Sandbox', pathLength, days = YEAR_DAYS, change, ...rest } = ca;
  const request = {
    ...rest,
    days,
    subject: new x509.Name([
      { C: [{ printableString: 'DK' }] },
      { O: [{ utf8String: organization }] },
      { CN: [{ utf8String: name }] },
    ]),
    extensions: [
      new x509.BasicConstraintsExtension(true, pathLength, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  };
  return issueCertificate(request, change);
}
