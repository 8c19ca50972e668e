import 'reflect-metadata';
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { derElement, TAG } from '@kontoport/certificates';
import {
  certificateParts,
  encodeCertId,
  type OcspSigner,
  type OcspStatus,
  type SignatureAlgorithm,
  writeCrl,
  writeOcspResponse,
} from '@kontoport/issuing';
import type * as x509 from '@peculiar/x509';
import type { TestCa, TestQwac } from './qwac.ts';

export { crlAt, ocspAt } from '@kontoport/issuing';

const day = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * day);
const KEY_COMPROMISE = 1;

export const signerOf = (ca: TestCa): OcspSigner => ({ der: ca.der, key: ca.key });

export const delegateOf = (minted: TestQwac): OcspSigner => ({
  der: minted.chain[0]!,
  key: createPrivateKey(minted.keyPem),
});

export interface OcspAnswer {
  readonly certificate: Uint8Array;
  readonly issuer: Uint8Array;
  readonly signer: OcspSigner;
  readonly status?: OcspStatus['status'];
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
  /** Repetitions of the single response. */
  readonly times?: number;
  readonly algorithm?: SignatureAlgorithm;
}

/** Makes an OCSP response in DER (RFC 6960 §4.2.1); default validity: from half a day ago for one more day. */
export function makeOcspResponse(answer: OcspAnswer): Buffer {
  const { hash = 'sha1', status = 'good', nextUpdate = ago(-1), extensions, certificates } = answer;
  const { serial, issuer: issuerName } = certificateParts(answer.certificate);
  const single = {
    certId: encodeCertId({ issuerName, issuerKey: certificateParts(answer.issuer).key, serial, hash }),
    says: status === 'revoked' ? { status, at: ago(1), reason: KEY_COMPROMISE } : { status },
    thisUpdate: answer.thisUpdate ?? ago(0.5),
    ...(nextUpdate && { nextUpdate }),
    ...(extensions && { extensions }),
  };
  return writeOcspResponse({
    signer: answer.signer,
    producedAt: answer.producedAt ?? new Date(),
    responses: Array.from({ length: answer.times ?? 1 }, () => single),
    ...(certificates && { certificates }),
    ...(answer.responder && { responder: answer.responder }),
    ...(answer.algorithm && { algorithm: answer.algorithm }),
  });
}

/** Makes a CRL of `signer` with another certificate; default validity: from yesterday for two days. */
export function makeCrl(list: {
  readonly signer: TestCa;
  readonly name?: TestCa;
  readonly revoked?: readonly x509.X509Certificate[];
  readonly thisUpdate?: Date;
  readonly nextUpdate?: Date;
  readonly extensions?: readonly x509.Extension[];
}): Uint8Array {
  const { signer, name = signer, revoked = [] } = list;
  const serials = revoked.map(({ rawData }) => certificateParts(new Uint8Array(rawData)).serial);
  const stranger = derElement(TAG.integer, Buffer.of(0x01, 0x23));
  return writeCrl({
    signer,
    name,
    number: 1n,
    thisUpdate: list.thisUpdate ?? ago(1),
    nextUpdate: list.nextUpdate ?? ago(-1),
    entries: [stranger, ...serials].map((serial) => ({ serial, at: ago(1) })),
    extensions: list.extensions ?? [],
  });
}

/** A responder on loopback. */
export interface Responder {
  readonly origin: string;
  /** Requested paths, in order. */
  readonly asked: string[];
  /** The answer of a path: bytes, or a handler. */
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
