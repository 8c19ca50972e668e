import 'reflect-metadata';
import { isIP } from 'node:net';
import { OID } from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';
import { issueCertificate, type Issued, type Issuer } from './issue-certificate.ts';

/** An ordinary TLS certificate for internal use: the edge's, a broker's, a broker's client's. */
export interface TlsRequest {
  name: string;
  /**
   * The use of the certificate, and for a server the names and addresses that it answers to; `peer` is for both ends of a
   * connection, and may have SPIFFE ids among its names.
   */
  use: { server: readonly string[] } | { peer: readonly string[] } | 'client';
  /** Absent: self-signed. */
  issuer?: Issuer | undefined;
  days: number;
  at: Date;
}

/** Issues a TLS certificate. */
export function mintTls({ name, use, issuer, days, at }: TlsRequest): Promise<Issued> {
  const hosts = use === 'client' ? [] : 'peer' in use ? use.peer : use.server;
  const isClient = use === 'client' || 'peer' in use;
  return issueCertificate({
    subject: new x509.Name([{ CN: [{ utf8String: name }] }]),
    days,
    at,
    ...(issuer === undefined ? {} : { issuer }),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        ...(use === 'client' ? [] : [OID.serverAuth]),
        ...(isClient ? [OID.clientAuth] : []),
      ]),
      ...(hosts.length === 0
        ? []
        : [new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: typeOf(value), value })))]),
    ],
  });
}

function typeOf(name: string): 'ip' | 'url' | 'dns' {
  if (isIP(name) !== 0) return 'ip';
  return name.startsWith('spiffe:') ? 'url' : 'dns';
}
