// The OCSP responder and the revocation lists of a local sandbox. It creates an answer per question and signs it with
// the CA's own key, which is on this machine anyway.
import 'reflect-metadata';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contents, DerError, encoded, OID, readDer, readOid, TAG } from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';
import { certificateParts, type CertificateParts } from './certificate-parts.ts';
import { writeCrl } from './crl.ts';
import { derOf, type Issuer, readIssuer } from './issue-certificate.ts';
import { type OcspSingle, type OcspStatus, writeOcspRefusal, writeOcspResponse } from './ocsp-response.ts';
import { findRevocation, listRevocations, type Revocation, REVOCATION_REASONS } from './revoked.ts';
import { authorityFiles } from './sandbox-ca.ts';

/** Validity of an answer, milliseconds: a revocation is known after that time. */
export const REVOCATION_KNOWN_WITHIN_MS = 10_000;

const MAX_REQUEST_BYTES = 4_096;
const MAX_QUESTIONS = 16;
const REQUEST_LIMIT_MS = 5_000;
const HASHES: Readonly<Record<string, 'sha1' | 'sha256'>> = { [OID.sha1]: 'sha1', [OID.sha256]: 'sha256' };

/** A CA as the responder needs it. */
interface Authority {
  readonly issuer: Issuer;
  readonly der: Uint8Array;
  readonly parts: CertificateParts;
}

/** One question: the CertID as it was sent, and its parts. */
interface Question {
  readonly certId: Uint8Array;
  readonly hash: 'sha1' | 'sha256' | undefined;
  readonly nameHash: string;
  readonly keyHash: string;
  readonly serial: Uint8Array;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The questions of an OCSP request (RFC 6960 §4.1.1). @throws DerError, TypeError for another input */
function readQuestions(der: Uint8Array): readonly Question[] {
  const [tbs] = readDer(der).children;
  const list = tbs!.children.find(({ tag }) => tag === TAG.sequence);
  return list!.children.map(({ children: [certId] }) => {
    const [algorithm, name, key, serial] = certId!.children;
    return {
      certId: encoded(certId!),
      hash: HASHES[readOid(algorithm!.children[0])],
      nameHash: hex(contents(name!)),
      keyHash: hex(contents(key!)),
      serial: encoded(serial!),
    };
  });
}

function isOf({ parts }: Authority, question: Question): boolean {
  const { hash: algorithm, nameHash, keyHash } = question;
  return (
    algorithm !== undefined &&
    hash(algorithm, parts.subject, 'hex') === nameHash &&
    hash(algorithm, parts.key, 'hex') === keyHash
  );
}

async function openAuthorities(ca: string): Promise<Readonly<Record<'root' | 'issuing-ca', Authority>>> {
  const { root, issuingCa } = authorityFiles(ca);
  const open = async (files: typeof root): Promise<Authority> => {
    const issuer = await readIssuer(files);
    const der = derOf(issuer);
    return { issuer, der, parts: certificateParts(der) };
  };
  const [first, second] = await Promise.all([open(root), open(issuingCa)]);
  return { root: first, 'issuing-ca': second };
}

const validFrom = (now: Date): { thisUpdate: Date; nextUpdate: Date } => ({
  thisUpdate: now,
  nextUpdate: new Date(now.getTime() + REVOCATION_KNOWN_WITHIN_MS),
});

/** An absent reason means "unspecified" (RFC 5280 §5.3.1). */
const reasonOf = ({ reason }: Revocation): { reason?: number } =>
  reason === 'unspecified' ? {} : { reason: REVOCATION_REASONS[reason] };

/** Answers the DER of an OCSP request in DER. A sandbox has no list of its certificates, so each unrevoked one is good. */
async function answerOcsp(ca: string, request: Uint8Array, now: Date): Promise<Uint8Array> {
  let questions: readonly Question[];
  try {
    questions = readQuestions(request);
  } catch (error) {
    if (!(error instanceof DerError || error instanceof TypeError)) throw error;
    return writeOcspRefusal('malformedRequest');
  }
  const [first] = questions;
  if (!first || questions.length > MAX_QUESTIONS) return writeOcspRefusal('malformedRequest');
  const authorities = Object.values(await openAuthorities(ca));
  const authority = authorities.find((candidate) => isOf(candidate, first));
  if (!authority) return writeOcspRefusal('unauthorized');
  const single = async (question: Question): Promise<OcspSingle> => {
    const { certId, serial } = question;
    const revocation = isOf(authority, question)
      ? await findRevocation(ca, { issuerKey: authority.parts.key, serial })
      : undefined;
    const says: OcspStatus = revocation
      ? { status: 'revoked', at: new Date(revocation.at), ...reasonOf(revocation) }
      : { status: isOf(authority, question) ? 'good' : 'unknown' };
    return { certId, says, ...validFrom(now) };
  };
  return writeOcspResponse({
    signer: { der: authority.der, key: authority.issuer.key },
    producedAt: now,
    responses: await Promise.all(questions.map(single)),
  });
}

/** Returns the revocation lists of the CAs in the folder `ca` at `now`, in DER. */
export async function currentCrls(ca: string, now: Date): Promise<readonly Uint8Array[]> {
  return Promise.all((['root', 'issuing-ca'] as const).map((name) => currentCrl(ca, name, now)));
}

async function currentCrl(ca: string, name: 'root' | 'issuing-ca', now: Date): Promise<Uint8Array> {
  const { issuer, parts } = (await openAuthorities(ca))[name];
  const revocations = await listRevocations(ca, parts.key);
  return writeCrl({
    signer: issuer,
    number: BigInt(now.getTime()),
    ...validFrom(now),
    entries: revocations.map((revocation) => ({
      serial: revocation.serial,
      at: new Date(revocation.at),
      ...reasonOf(revocation),
    })),
    extensions: [await x509.AuthorityKeyIdentifierExtension.create(issuer.certificate.publicKey)],
  });
}

async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_REQUEST_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The OCSP request of an HTTP request, by POST or by GET (RFC 6960 appendix A.1). */
async function ocspRequestOf(request: IncomingMessage, path: string): Promise<Uint8Array | undefined> {
  if (request.method === 'POST') return readBody(request);
  const word = path.slice('/ocsp/'.length);
  if (word.length > MAX_REQUEST_BYTES) return undefined;
  return Buffer.from(
    word.replaceAll(/%(2[bBfF]|3[dD])/g, (escaped) => decodeURIComponent(escaped)),
    'base64',
  );
}

const CRL_PATH = /^\/(?<name>root|issuing-ca)\.crl$/;

async function serve(ca: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url!.split('?')[0]!;
  const send = (type: string, bytes: Uint8Array): void =>
    void response.writeHead(200, { 'content-type': type }).end(bytes);
  const { name } = CRL_PATH.exec(path)?.groups ?? {};
  const isOcsp =
    (request.method === 'POST' && path === '/ocsp') ||
    (request.method === 'GET' && path.startsWith('/ocsp/'));
  if (isOcsp) {
    const asked = await ocspRequestOf(request, path);
    if (!asked) return void response.writeHead(413, { connection: 'close' }).end();
    const answer = await answerOcsp(ca, asked, new Date()).catch(() => writeOcspRefusal('internalError'));
    send('application/ocsp-response', answer);
  } else if (request.method === 'GET' && name !== undefined)
    send('application/pkix-crl', await currentCrl(ca, name as 'root' | 'issuing-ca', new Date()));
  else response.writeHead(404).end();
}

/** The responder of a sandbox, listening on loopback. */
export interface Responder {
  readonly origin: string;
  readonly close: () => Promise<void>;
}

/**
 * Serves `/ocsp`, `/root.crl` and `/issuing-ca.crl` for the CAs in the folder `ca`, which may be created later.
 * @param options.port 0 lets the system choose
 * @throws the system's error when the port is taken
 */
export async function startResponder(options: {
  readonly ca: string;
  readonly port: number;
}): Promise<Responder> {
  const server = createServer({ requestTimeout: REQUEST_LIMIT_MS }, (request, response) => {
    serve(options.ca, request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
