import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openVerifier } from '@kontoport/certificates';
import {
  ensureSandboxCa,
  type Issuer,
  mintQwac,
  type QwacRequest,
  readIssuer,
  type SandboxCa,
  slug,
} from '../src/index.ts';

const REQUEST: QwacRequest = {
  name: 'Ærlig Økonomi & Søn ApS',
  organizationIdentifier: 'PSDDK-DFSA-27541826',
  roles: ['PSP_PI', 'PSP_AI'],
  days: 30,
};

let folder: string;
let ca: SandboxCa;
let issuer: Issuer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-mint-'));
  ca = await ensureSandboxCa({
    folder: join(folder, 'ca'),
    trustAnchors: join(folder, 'trust-anchors'),
    at: new Date(),
  });
  issuer = await readIssuer(ca.issuingCa);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const split = (pem: string): X509Certificate[] =>
  pem.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g)!.map((one) => new X509Certificate(one));

describe('a minted QWAC (EN 319 412-4, TS 119 495)', () => {
  it('is accepted by the strict verifier, with its roles and organization', async () => {
    const { chainPem } = await mintQwac({ request: REQUEST, issuer, at: new Date() });
    const verifier = await openVerifier({ trustAnchors: join(folder, 'trust-anchors') });
    const verdict = verifier.verify(split(chainPem).map(({ raw }) => new Uint8Array(raw)));
    expect(verdict.failure).toBeUndefined();
    expect(verdict).toMatchObject({
      accepted: true,
      warnings: [],
      organization: { identifier: 'PSDDK-DFSA-27541826', name: REQUEST.name },
    });
    expect([...verdict.roles].toSorted()).toEqual(['PSP_AI', 'PSP_PI']);
  });

  it('presents the leaf and the issuing CA, leaf first, with the key that fits', async () => {
    const { chainPem, keyPem } = await mintQwac({ request: REQUEST, issuer, at: new Date() });
    const [leaf, issuing, ...rest] = split(chainPem);
    expect(rest).toEqual([]);
    expect(leaf!.checkIssued(issuing!)).toBe(true);
    expect(leaf!.checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
    expect(leaf!.checkHost('aerlig-oekonomi-soen-aps.example')).toBeDefined();
  });

  it('never outlives its issuer', async () => {
    const late = new Date(
      new X509Certificate(readFileSync(ca.issuingCa.certificate)).validToDate.getTime() - 86_400_000,
    );
    const { notAfter } = await mintQwac({ request: REQUEST, issuer, at: late });
    expect(notAfter.getTime() - late.getTime()).toBe(86_400_000);
  });

  it.each<[Partial<QwacRequest>, RegExp]>([
    [{ organizationIdentifier: 'DK12345678' }, /PSD<country>-<authority>-<number>/],
    [{ roles: [] }, /at least one role/],
    [{ days: 0 }, /1 to 825/],
    [{ days: 1.5 }, /1 to 825/],
    [{ name: ' ' }, /1 to 64 characters/],
  ])('is refused for %j', async (change, words) => {
    await expect(mintQwac({ request: { ...REQUEST, ...change }, issuer, at: new Date() })).rejects.toThrow(
      words,
    );
  });

  it('names its files in plain letters', () => {
    expect(slug('Ærlig Økonomi & Søn ApS')).toBe('aerlig-oekonomi-soen-aps');
    expect(slug('株式会社')).toBe('tpp');
  });
});
