import 'reflect-metadata';
import { isIP } from 'node:net';
import { OID } from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';
import { issueCertificate, type Issued, type Issuer } from './issue-certificate.ts';

/** An ordinary TLS certificate, for what runs inside: the edge's own, a broker's, a client's of it. */
export interface TlsRequest {
  name: string;
  /** What it is for, and for a server the names and addresses that it answers to. */
  use: { server: readonly string[] } | 'client';
  /** Absent: self-signed. */
  issuer?: Issuer | undefined;
  days: number;
  at: Date;
}

/** Issues a TLS certificate. */
export function mintTls({ name, use, issuer, days, at }: TlsRequest): Promise<Issued> {
  const hosts = use === 'client' ? [] : use.server;
  return issueCertificate({
    subject: new x509.Name([{ CN: [{ utf8String: name }] }]),
    days,
    at,
    ...(issuer === undefined ? {} : { issuer }),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([use === 'client' ? OID.clientAuth : OID.serverAuth]),
      ...(hosts.length === 0
        ? []
        : [
            new x509.SubjectAlternativeNameExtension(
              hosts.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
            ),
          ]),
    ],
  });
}
