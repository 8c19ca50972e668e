import 'reflect-metadata';
import { createPrivateKey, hash, type KeyObject, sign, webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { derElement, derOid, derSequence, OID, readDer, TAG } from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';
import type { TestCa, TestQwac } from './qwac.ts';

const day = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * day);

/** Who signs: the certificate's DER and the key. */
export interface Signer {
  readonly der: Uint8Array;
  readonly key: KeyObject;
}

export const signerOf = (ca: TestCa): Signer => ({ der: ca.der, key: ca.key });

export const delegateOf = (minted: TestQwac): Signer => ({
  der: minted.chain[0]!,
  key: createPrivateKey(minted.keyPem),
});

export interface OcspAnswer {
  readonly certificate: Uint8Array;
  readonly issuer: Uint8Array;
  readonly signer: Signer;
  readonly status?: 'good' | 'revoked' | 'unknown';
  readonly hash?: 'sha1' | 'sha256';
  readonly thisUpdate?: Date;
  /** Null: none. */
  readonly nextUpdate?: Date | null;
  readonly producedAt?: Date;
  /** Certificates sent along. */
  readonly certificates?: readonly Uint8Array[];
  readonly responder?: 'name' | 'key';
  /** Encoded Extensions of the single response. */
  readonly extensions?: Uint8Array;
  /** How often the single response stands there. */
  readonly times?: number;
  /** Object identifier of the signature algorithm; default ecdsa-with-SHA256. */
  readonly algorithm?: string;
}

function time(moment: Date): Buffer {
  const digits = moment.toISOString().replaceAll(/[-:T]|\..*/g, '');
  return derElement(TAG.generalizedTime, Buffer.from(`${digits}Z`));
}

/** Parts of a certificate as they stand there. */
function partsOf(der: Uint8Array) {
  const fields = readDer(der).children[0]!.children;
  const [, serial, , issuer, , subject, spki] = fields.map(({ source, from, end }) =>
    source.subarray(from, end),
  );
  const key = readDer(spki!).children[1]!;
  return {
    serial: serial!,
    issuer: issuer!,
    subject: subject!,
    key: key.source.subarray(key.start + 1, key.end),
  };
}

const octets = (bytes: Uint8Array) => derElement(TAG.octetString, bytes);
const none = Buffer.alloc(0);

const statuses = {
  good: () => derElement(0x80, none),
  revoked: () =>
    derElement(
      0xa1,
      Buffer.concat([time(ago(1)), derElement(0xa0, derElement(TAG.enumerated, Buffer.of(1)))]),
    ),
  unknown: () => derElement(0x82, none),
};

function singleResponse(answer: OcspAnswer): Buffer {
  const { hash: algorithm = 'sha1', nextUpdate = ago(-1) } = answer;
  const certificate = partsOf(answer.certificate);
  const digest = (bytes: Uint8Array) => octets(hash(algorithm, bytes, 'buffer'));
  const certId = derSequence([
    derSequence([derOid(OID[algorithm]), derElement(TAG.null, none)]),
    digest(certificate.issuer),
    digest(partsOf(answer.issuer).key),
    certificate.serial,
  ]);
  return derSequence([
    certId,
    statuses[answer.status ?? 'good'](),
    time(answer.thisUpdate ?? ago(0.5)),
    ...(nextUpdate ? [derElement(0xa0, time(nextUpdate))] : []),
    ...(answer.extensions ? [derElement(0xa1, answer.extensions)] : []),
  ]);
}

/** An OCSP response in DER (RFC 6960 §4.2.1), valid from half a day ago for one more day unless told otherwise. */
export function makeOcspResponse(answer: OcspAnswer): Buffer {
  const signer = partsOf(answer.signer.der);
  const responder =
    answer.responder === 'key'
      ? derElement(0xa2, octets(hash('sha1', signer.key, 'buffer')))
      : derElement(0xa1, signer.subject);
  const tbs = derSequence([
    responder,
    time(answer.producedAt ?? new Date()),
    derSequence(Array.from({ length: answer.times ?? 1 }, () => singleResponse(answer))),
  ]);
  const signature = sign('sha256', tbs, answer.signer.key);
  const basic = derSequence([
    tbs,
    derSequence([derOid(answer.algorithm ?? '1.2.840.10045.4.3.2')]),
    derElement(TAG.bitString, Buffer.concat([Buffer.of(0), signature])),
    ...(answer.certificates ? [derElement(0xa0, derSequence(answer.certificates))] : []),
  ]);
  return derSequence([
    derElement(TAG.enumerated, Buffer.of(0)),
    derElement(0xa0, derSequence([derOid(OID.ocspBasic), octets(basic)])),
  ]);
}

/** A CRL of `signer`, valid for two days from yesterday unless told otherwise. */
export async function makeCrl(list: {
  readonly signer: TestCa;
  readonly name?: TestCa;
  readonly revoked?: readonly x509.X509Certificate[];
  readonly thisUpdate?: Date;
  readonly nextUpdate?: Date;
  readonly extensions?: readonly x509.Extension[];
}): Promise<Uint8Array> {
  const { signer, name = signer, revoked = [] } = list;
  const crl = await x509.X509CrlGenerator.create(
    {
      issuer: name.certificate.subjectName.toJSON(),
      thisUpdate: list.thisUpdate ?? ago(1),
      nextUpdate: list.nextUpdate ?? ago(-1),
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
      signingKey: signer.key.toCryptoKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']),
      extensions: [
        new x509.Extension(OID.crlNumber, false, derElement(TAG.integer, Buffer.of(1))),
        ...(list.extensions ?? []),
      ],
      entries: [
        { serialNumber: '0123', revocationDate: ago(1) },
        ...revoked.map(({ serialNumber }) => ({ serialNumber, revocationDate: ago(1) })),
      ],
    },
    webcrypto,
  );
  return new Uint8Array(crl.rawData);
}

const uri = (url: string) => derElement(0x86, Buffer.from(url));

/** authorityInfoAccess with OCSP responders. */
export function ocspAt(...urls: readonly string[]): x509.Extension {
  const descriptions = urls.map((url) => derSequence([derOid(OID.ocsp), uri(url)]));
  return new x509.Extension(OID.authorityInfoAccess, false, derSequence(descriptions));
}

/** cRLDistributionPoints. */
export function crlAt(...urls: readonly string[]): x509.Extension {
  const points = urls.map((url) => derSequence([derElement(0xa0, derElement(0xa0, uri(url)))]));
  return new x509.Extension(OID.crlDistributionPoints, false, derSequence(points));
}

/** A responder on loopback. */
export interface Responder {
  readonly origin: string;
  /** Paths that were asked, in order. */
  readonly asked: string[];
  /** What a path answers: bytes, or all that a server can do. */
  readonly on: (path: string, answer: Uint8Array | RequestListener) => string;
  readonly close: () => Promise<void>;
}

export async function startResponder(): Promise<Responder> {
  const answers = new Map<string, Uint8Array | RequestListener>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url!;
    asked.push(path);
    const answer = answers.get(path);
    if (typeof answer === 'function') answer(request, response);
    else if (answer) response.end(answer);
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    asked,
    on: (path, answer) => {
      answers.set(path, answer);
      return origin + path;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
