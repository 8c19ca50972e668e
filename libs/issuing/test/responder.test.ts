import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { derSequence, readCertificate, readRevocationList } from '@kontoport/certificates';
import {
  authorityFiles,
  certificateParts,
  encodeCertId,
  ensureSandboxCa,
  mintQwac,
  namesResponder,
  readIssuer,
  type Responder,
  revoke,
  startResponder,
} from '../src/index.ts';

let folder: string;
let responder: Responder;
const ca = (): string => join(folder, 'ca');
const make = (origin: string) =>
  ensureSandboxCa({ folder: ca(), trustAnchors: join(folder, 'anchors'), at: new Date(), responder: origin });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-responder-'));
  responder = await startResponder({ ca: ca(), port: 0 });
  await make(responder.origin);
});
afterEach(async () => {
  await responder.close();
  rmSync(folder, { recursive: true, force: true });
});

const request = { name: 'TPP', organizationIdentifier: 'PSDDK-DFSA-1', roles: ['PSP_AI'], days: 1 } as const;

async function mint(): Promise<Uint8Array> {
  const issuer = await readIssuer(authorityFiles(ca()).issuingCa);
  return (await mintQwac({ request, issuer, at: new Date() })).chain[0]!;
}

/** The CertID of a certificate under the issuing CA. */
async function certIdOf(der: Uint8Array, hash: 'sha1' | 'sha256' = 'sha1'): Promise<Uint8Array> {
  const { certificate } = await readIssuer(authorityFiles(ca()).issuingCa);
  const { serial, issuer: issuerName } = certificateParts(der);
  const { key: issuerKey } = certificateParts(new Uint8Array(certificate.rawData));
  return encodeCertId({ issuerName, issuerKey, serial, hash });
}

const ask = (...certIds: Uint8Array[]): Uint8Array =>
  Uint8Array.from(derSequence([derSequence([derSequence(certIds.map((id) => derSequence([id])))])]));

async function post(body: Uint8Array): Promise<Buffer> {
  const init = { method: 'POST', body: Uint8Array.from(body) };
  const response = await fetch(`${responder.origin}/ocsp`, init);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/ocsp-response');
  return Buffer.from(await response.arrayBuffer());
}

const refusal = (status: number): Buffer => Buffer.from([0x30, 3, 0x0a, 1, status]);
/** The CertStatus of the one certificate that an answer is about. */
const GOOD = Buffer.from('8000', 'hex');
const isGood = async (der: Uint8Array): Promise<boolean> => {
  const answer = await post(ask(await certIdOf(der)));
  return answer.includes(Buffer.concat([certificateParts(der).serial, GOOD]));
};

describe("the OCSP responder of the sandbox's CAs (RFC 6960)", () => {
  it('says good of what is not revoked, by SHA-1 and by SHA-256, and revoked of the rest', async () => {
    const der = await mint();
    expect(await isGood(der)).toBe(true);
    const bySha256 = await post(ask(await certIdOf(der, 'sha256')));
    expect(bySha256.includes(Buffer.concat([certificateParts(der).serial, GOOD]))).toBe(true);
    await revoke({ ca: ca(), certificate: der, reason: 'keyCompromise', at: new Date() });
    expect(await isGood(der)).toBe(false);
    expect(await isGood(await mint())).toBe(true);
  });

  it('knows after a restart what was revoked before', async () => {
    const der = await mint();
    await revoke({ ca: ca(), certificate: der, reason: 'superseded', at: new Date() });
    await responder.close();
    responder = await startResponder({ ca: ca(), port: Number(new URL(responder.origin).port) });
    expect(await isGood(der)).toBe(false);
  });

  it('answers by GET as by POST', async () => {
    const word = encodeURIComponent(Buffer.from(ask(await certIdOf(await mint()))).toString('base64'));
    const response = await fetch(`${responder.origin}/ocsp/${word}`);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer())[6]).toBe(0);
  });

  it.each([
    ['nothing', () => Uint8Array.of()],
    ['no DER', () => Uint8Array.of(1, 2, 3)],
    ['DER of something else', () => derSequence([derSequence([])])],
    ['no question', () => ask()],
    ['a question without CertID', () => derSequence([derSequence([derSequence([derSequence([])])])])],
  ])('calls a request malformed that is %s', async (_, body) => {
    expect(await post(body())).toEqual(refusal(1));
  });

  it('answers 16 questions at once and calls 17 malformed, whoever they are about', async () => {
    const id = await certIdOf(await mint());
    expect((await post(ask(...Array.from({ length: 16 }, () => id)))).length).toBeGreaterThan(1_000);
    expect(await post(ask(...Array.from({ length: 17 }, () => id)))).toEqual(refusal(1));
  });

  it('does not answer for the certificates of others', async () => {
    const stranger = encodeCertId({
      issuerName: Uint8Array.of(1),
      issuerKey: Uint8Array.of(2),
      serial: certificateParts(await mint()).serial,
      hash: 'sha1',
    });
    expect(await post(ask(stranger))).toEqual(refusal(6));
  });

  it('reads no more than 4096 bytes, and has nothing at other paths', async () => {
    const to = (path: string, init?: RequestInit) => fetch(responder.origin + path, init);
    const body = (length: number): RequestInit => ({ method: 'POST', body: new Uint8Array(length) });
    expect((await to('/ocsp', body(4_096))).status).toBe(200);
    expect((await to('/ocsp', body(4_097))).status).toBe(413);
    expect((await to('/ocsp')).status).toBe(404);
    expect((await to('/issuing-ca.crl', { method: 'POST' })).status).toBe(404);
    expect((await to('/issuing-ca-key.pem')).status).toBe(404);
    expect((await to('/revoked/')).status).toBe(404);
  });
});

describe("the revocation lists of the sandbox's CAs (RFC 5280 §5)", () => {
  const list = async (name: string) => {
    const response = await fetch(`${responder.origin}/${name}.crl`);
    return readRevocationList(new Uint8Array(await response.arrayBuffer()));
  };

  it('hold what each CA has revoked, and are of use while they are empty', async () => {
    const der = await mint();
    expect(await list('issuing-ca')).toMatchObject({ faults: [], revoked: new Map() });
    await revoke({ ca: ca(), certificate: der, reason: 'unspecified', at: new Date('2026-11-21T12:00:00Z') });
    const serial = Buffer.from(readCertificate(der).serialNumber).toString('hex');
    expect(await list('issuing-ca')).toMatchObject({
      faults: [],
      revoked: new Map([[serial, Date.parse('2026-11-21T12:00:00Z')]]),
    });
    expect(await list('root')).toMatchObject({ faults: [], revoked: new Map() });
  });
});

describe('a sandbox whose responder has moved', () => {
  it('gives the issuing CA a certificate that names it, for the key that it had: what it issued stays', async () => {
    const before = await mint();
    const key = readFileSync(authorityFiles(ca()).issuingCa.key, 'utf8');
    expect((await make(responder.origin)).renewed).toEqual([]);
    const elsewhere = 'http://127.0.0.1:1';
    const { renewed, issuingCa } = await make(elsewhere);
    expect(renewed).toEqual(['issuing', 'server']);
    expect(readFileSync(issuingCa.key, 'utf8')).toBe(key);
    const sources = { ocsp: `${elsewhere}/ocsp`, crl: '' };
    expect(namesResponder(readFileSync(issuingCa.certificate), sources)).toBe(true);
    expect(namesResponder(await mint(), sources)).toBe(true);
    expect(namesResponder(before, sources)).toBe(false);
    expect(await isGood(before)).toBe(true);
  });
});
