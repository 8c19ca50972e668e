import 'reflect-metadata';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestCa, testCa, type TestQwac, testQwac } from '@kontoport/testing/qwac';
import * as x509 from '@peculiar/x509';
import { CertificateFolderError, type FolderReport, OID, openVerifier, type Verifier } from '../src/index.ts';

const day = 86_400_000;
let folder: string;
let root: TestCa;
let issuing: TestCa;
let qwac: TestQwac;
const reports: FolderReport[] = [];

const openHere = (): Promise<Verifier> =>
  openVerifier({ trustAnchors: folder, onReload: (report) => reports.push(report) });

beforeAll(async () => {
  root = await testCa({ name: 'Verifier Test Root' });
  issuing = await testCa({ name: 'Verifier Test Issuing CA', issuer: root, pathLength: 0 });
  qwac = await testQwac({
    issuer: issuing,
    organizationName: 'Æble Betaling ApS',
    organizationIdentifier: 'PSDDK-DFSA-12345',
  });
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'anchors-'));
  await writeFile(join(folder, 'root.pem'), root.certificatePem);
  reports.length = 0;
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('the verdict on a QWAC (§5.1)', () => {
  it('tells who is calling, with which roles, by which path, and every check made', async () => {
    const { checks, path, pathDer, thumbprint, notAfter, ...verdict } = (await openHere()).verify(qwac.chain);
    expect(verdict).toEqual({
      accepted: true,
      warnings: [],
      roles: ['PSP_PI', 'PSP_AI'],
      organization: { identifier: 'PSDDK-DFSA-12345', name: 'Æble Betaling ApS' },
      displayName: 'Æble Betaling ApS',
    });
    expect(thumbprint).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(notAfter).toBe(Date.parse(path[0]!.notAfter));
    expect(new Set(checks.map(({ result }) => result))).toEqual(new Set(['passed']));
    expect(pathDer).toEqual([...qwac.chain, root.der].map((der) => Buffer.from(der)));
    expect(path.map(({ subject }) => subject)).toEqual([
      'CN=tpp.example,organizationIdentifier=PSDDK-DFSA-12345,O=Æble Betaling ApS,C=DK',
      'CN=Verifier Test Issuing CA,O=Verifier Test Issuing CA,C=DK',
      'CN=Verifier Test Root,O=Verifier Test Root,C=DK',
    ]);
  });

  it('shows certificates as §2.1 names their fields', async () => {
    const [leaf] = (await openHere()).verify(qwac.chain).path;
    expect(leaf).toEqual({
      subject: 'CN=tpp.example,organizationIdentifier=PSDDK-DFSA-12345,O=Æble Betaling ApS,C=DK',
      subjectKeyId: expect.stringMatching(/^([0-9A-F]{2}:){19}[0-9A-F]{2}$/),
      issuer: 'CN=Verifier Test Issuing CA,O=Verifier Test Issuing CA,C=DK',
      serialNumber: qwac.certificate.serialNumber.toUpperCase(),
      notBefore: qwac.certificate.notBefore.toISOString(),
      notAfter: qwac.certificate.notAfter.toISOString(),
    });
  });

  it('computes the key identifier of a certificate that has none', async () => {
    const { chain, certificate } = await testQwac({
      issuer: issuing,
      organizationName: 'A',
      organizationIdentifier: 'PSDDK-DFSA-1',
      without: [OID.subjectKeyIdentifier],
    });
    const { keyId } = await x509.SubjectKeyIdentifierExtension.create(certificate.publicKey);
    const [leaf] = (await openHere()).verify(chain).path;
    expect(leaf!.subjectKeyId.replaceAll(':', '').toLowerCase()).toBe(keyId);
  });

  it.each([
    ['the organization', 'Æble 👩\u200d👧', 'Æble 👩\u200d👧'],
    ['the organization, normalized', 'A\u030ase', 'Åse'],
    ['the organization without control or invisible characters', 'A\u202e\n\u200bB', 'A\ufffd\ufffd\ufffdB'],
    ['the common name where the organization is blank', '\u200b', 'tpp.example'],
  ])('shows the user %s (§2.1)', async (_what, organizationName, displayName) => {
    const { chain } = await testQwac({
      issuer: issuing,
      organizationName,
      organizationIdentifier: 'PSDDK-DFSA-1',
    });
    expect((await openHere()).verify(chain)).toMatchObject({ accepted: true, displayName });
  });

  it.each([
    ['an expired certificate', { notAfter: new Date(Date.now() - day) }, 'CERTIFICATE_EXPIRED', 'validity'],
    ['a role of another kind alone', { roles: ['PSP_IC'] as const }, 'ROLE_INVALID', 'psd2-role-granted'],
    [
      'no organizationIdentifier',
      { organizationIdentifier: ' ' },
      'CERTIFICATE_INVALID',
      'organization-identifier',
    ],
  ])('refuses %s with its errorCode, the check and a cure', async (_, change, errorCode, check) => {
    const changed = await testQwac({
      issuer: issuing,
      organizationName: 'Other ApS',
      organizationIdentifier: 'PSDDK-DFSA-12345',
      notBefore: new Date(Date.now() - 3 * day),
      ...change,
    });
    const { accepted, failure, roles } = (await openHere()).verify(changed.chain);
    expect({ accepted, roles, errorCode: failure?.errorCode }).toEqual({
      accepted: false,
      roles: [],
      errorCode,
    });
    expect(failure?.message).toMatch(new RegExp(`^${check}: `));
  });

  it('names the reason that a person would name', async () => {
    const reason = async (chain: readonly Uint8Array[]) =>
      (await openHere()).verify(chain).failure?.message ?? 'accepted';
    const [leaf] = qwac.chain;
    expect(await reason([leaf!])).toMatch(
      /^issuer: no certificate of Verifier Test Issuing CA, which issued tpp\.example, is trusted or presented\./,
    );
    expect(await reason([issuing.der, leaf!])).toMatch(
      /^end-entity: .*Present the website certificate first/,
    );
    const stranger = await testCa({ name: 'Stranger' });
    expect(await reason([stranger.der])).toMatch(/^issuer: Stranger is signed by itself, and not trusted\./);
    const poison = new x509.Extension(OID.precertificatePoison, true, Buffer.of(5, 0));
    const precertificate = await testQwac({
      issuer: issuing,
      organizationName: 'A',
      organizationIdentifier: 'PSDDK-DFSA-1',
      extensions: [poison],
    });
    expect(await reason(precertificate.chain)).toMatch(/^extensions-critical: .*it is a precertificate/);
  });

  it('finds the issuing CA in the folder when the client presents only its leaf', async () => {
    await writeFile(join(folder, 'issuing.pem'), issuing.certificatePem);
    const { accepted, path } = (await openHere()).verify(qwac.chain.slice(0, 1));
    expect(accepted).toBe(true);
    expect(path).toHaveLength(2);
  });

  it.each([
    ['nothing', []],
    ['bytes that are no certificate', [new Uint8Array([0x30, 0x80])]],
    ['a megabyte', [new Uint8Array(1_000_000).fill(0x30)]],
    ['a thousand certificates', Array.from({ length: 1000 }, () => new Uint8Array([0x30, 0]))],
  ])('refuses %s without throwing', async (_, chain) => {
    const { accepted, failure } = (await openHere()).verify(chain);
    expect({ accepted, errorCode: failure?.errorCode }).toEqual({
      accepted: false,
      errorCode: 'CERTIFICATE_INVALID',
    });
  });
});

describe('a certificate counts from 60 s before its validity to its end (§5.1, §7)', () => {
  const start = Date.parse('2026-03-01T00:00:00Z');
  const end = Date.parse('2026-03-31T00:00:00Z');
  const judge = async (at: number) => {
    const short = await testQwac({
      issuer: issuing,
      organizationName: 'Short ApS',
      organizationIdentifier: 'PSDDK-DFSA-12345',
      notBefore: new Date(start),
      notAfter: new Date(end),
    });
    const early = await testCa({
      name: 'Verifier Test Issuing CA',
      issuer: root,
      keys: issuing.keys,
      notBefore: new Date(start - 365 * day),
    });
    const anchor = await testCa({
      name: 'Verifier Test Root',
      keys: root.keys,
      notBefore: new Date(start - 365 * day),
    });
    await writeFile(join(folder, 'root.pem'), anchor.certificatePem);
    return (await openHere()).verify([short.chain[0]!, early.der], new Date(at));
  };

  it.each([
    ['from 60 s before it begins', start - 60_000],
    ['to its last second', end + 999],
  ])('accepts a certificate %s', async (_, at) => {
    expect(await judge(at)).toMatchObject({ accepted: true });
  });

  it('says in its own words that a certificate is not valid yet', async () => {
    const { failure } = await judge(start - 61_000);
    expect(failure?.errorCode).toBe('CERTIFICATE_INVALID');
    expect(failure?.message).toMatch(
      /^validity-begin: .*not valid before 2026-03-01T00:00:00.000Z\. Wait until its validity begins/,
    );
  });

  it('says that it expired', async () => {
    const { failure } = await judge(end + 1_000);
    expect(failure?.errorCode).toBe('CERTIFICATE_EXPIRED');
    expect(failure?.message).toMatch(/^validity: .*expired at 2026-03-31T00:00:00.000Z\. Renew/);
  });
});

describe('the cache of verdicts', () => {
  it('answers the same chain with the same verdict within five minutes, and judges again after', async () => {
    const verifier = await openHere();
    const at = new Date();
    const first = verifier.verify(qwac.chain, at);
    expect(verifier.verify(qwac.chain, new Date(at.getTime() + 299_999))).toBe(first);
    expect(verifier.verify(qwac.chain, new Date(at.getTime() + 300_000))).not.toBe(first);
  });

  it('never outlives notAfter', async () => {
    const verifier = await openHere();
    const notAfter = qwac.certificate.notAfter.getTime();
    expect(verifier.verify(qwac.chain, new Date(notAfter)).accepted).toBe(true);
    const late = verifier.verify(qwac.chain, new Date(notAfter + 1_000));
    expect(late.failure?.errorCode).toBe('CERTIFICATE_EXPIRED');
  });

  it('never keeps a refusal past the 60 s before notBefore', async () => {
    const verifier = await openHere();
    const notBefore = qwac.certificate.notBefore.getTime();
    expect(verifier.verify(qwac.chain, new Date(notBefore - 61_000)).accepted).toBe(false);
    expect(verifier.verify(qwac.chain, new Date(notBefore - 60_000)).accepted).toBe(true);
  });

  it('tells a chain cut at another place apart', async () => {
    const verifier = await openHere();
    expect(verifier.verify(qwac.chain).accepted).toBe(true);
    expect(verifier.verify([Buffer.concat(qwac.chain)]).accepted).toBe(false);
  });
});

describe('the folder of trust anchors', () => {
  it('counts a CA that is dropped in, and forgets cached refusals', async () => {
    const other = await testCa({ name: 'Another Root' });
    const leaf = await testQwac({
      issuer: other,
      organizationName: 'Other ApS',
      organizationIdentifier: 'PSDSE-FINA-1',
    });
    const verifier = await openHere();
    expect(verifier.verify(leaf.chain).accepted).toBe(false);
    await writeFile(join(folder, 'other.pem'), other.certificatePem);
    await verifier.reload();
    expect(reports.map(({ loaded }) => loaded)).toEqual([true]);
    expect(verifier.verify(leaf.chain).accepted).toBe(true);
  });

  it('reports a broken file and keeps the last good set', async () => {
    const verifier = await openHere();
    await writeFile(join(folder, 'broken.pem'), '-----BEGIN CERTIFICATE-----\nMIIB');
    await verifier.reload();
    expect(reports[0]).toMatchObject({ loaded: false, faults: [{ file: 'broken.pem' }] });
    expect(verifier.verify(qwac.chain, new Date(Date.now() + 301_000)).accepted).toBe(true);
  });

  it('withdraws trust when the file of a CA is removed', async () => {
    const other = await testCa({ name: 'Another Root' });
    await writeFile(join(folder, 'other.pem'), other.certificatePem);
    const verifier = await openHere();
    expect(verifier.verify(qwac.chain).accepted).toBe(true);
    await rm(join(folder, 'root.pem'));
    await verifier.reload();
    expect(reports.map(({ loaded }) => loaded)).toEqual([true]);
    expect(verifier.verify(qwac.chain).accepted).toBe(false);
  });

  it('names loaded anchors under which nothing is accepted now', async () => {
    const verifier = await openHere();
    const expired = await testCa({
      name: 'Old Root',
      notBefore: new Date(Date.now() - 2 * day),
      notAfter: new Date(Date.now() - day),
    });
    await writeFile(join(folder, 'old.pem'), expired.certificatePem);
    await verifier.reload();
    expect(reports.at(-1)).toMatchObject({
      loaded: true,
      unusable: [{ file: 'old.pem', subject: 'Old Root' }],
    });
  });

  it('does not open on a folder that is missing, empty or broken', async () => {
    const missing = join(folder, 'missing');
    await expect(openVerifier({ trustAnchors: missing })).rejects.toThrow(CertificateFolderError);
    await writeFile(join(folder, 'root.pem'), 'no certificate');
    await expect(openVerifier({ trustAnchors: folder })).rejects.toThrow(/root\.pem/);
    await rm(join(folder, 'root.pem'));
    await expect(openVerifier({ trustAnchors: folder })).rejects.toThrow(/holds no certificate/);
  });
});

describe('the folder of issuing CAs', () => {
  let issuers: string;
  const openWith = (): Promise<Verifier> =>
    openVerifier({
      trustAnchors: folder,
      intermediates: issuers,
      onReload: (report) => reports.push(report),
    });
  const leafAlone = () => qwac.chain.slice(0, 1);

  beforeEach(async () => {
    issuers = await mkdtemp(join(tmpdir(), 'issuers-'));
    await writeFile(join(issuers, 'issuing.pem'), issuing.certificatePem);
  });
  afterEach(() => rm(issuers, { recursive: true }));

  it('completes the path of a leaf that comes alone', async () => {
    const { accepted, pathDer } = (await openWith()).verify(leafAlone());
    expect(accepted).toBe(true);
    expect(pathDer).toEqual([qwac.chain[0]!, issuing.der, root.der].map((der) => Buffer.from(der)));
  });

  it('changes nothing for a chain that is complete', async () => {
    expect((await openWith()).verify(qwac.chain).path).toHaveLength(3);
  });

  it('is trusted in nothing, neither its issuing CAs nor a root in it', async () => {
    const stranger = await testCa({ name: 'Stranger' });
    const below = await testCa({ name: 'Below the Stranger', issuer: stranger });
    const leaf = await testQwac({
      issuer: below,
      organizationName: 'Other ApS',
      organizationIdentifier: 'PSDSE-FINA-1',
    });
    await writeFile(join(issuers, 'below.pem'), below.certificatePem);
    await writeFile(join(issuers, 'stranger.pem'), stranger.certificatePem);
    const { failure } = (await openWith()).verify(leaf.chain);
    expect(failure?.message).toMatch(/^issuer: the chain ends with Stranger, which is not trusted\./);
  });

  it('holds more issuers than a client may present', async () => {
    const many = await Promise.all(
      Array.from({ length: 130 }, (_, i) => testCa({ name: `Issuer ${i}`, keys: issuing.keys })),
    );
    await writeFile(join(issuers, 'many.pem'), many.map(({ certificatePem }) => certificatePem).join(''));
    expect((await openWith()).verify(leafAlone()).accepted).toBe(true);
  });

  it('counts an issuer that is dropped in, and forgets one that is taken away', async () => {
    await rm(join(issuers, 'issuing.pem'));
    await writeFile(join(issuers, 'other.pem'), (await testCa({ name: 'Other' })).certificatePem);
    const verifier = await openWith();
    expect(verifier.verify(leafAlone()).accepted).toBe(false);
    await writeFile(join(issuers, 'issuing.pem'), issuing.certificatePem);
    await verifier.reload();
    expect(verifier.verify(leafAlone()).accepted).toBe(true);
    await rm(join(issuers, 'issuing.pem'));
    await verifier.reload();
    expect(verifier.verify(leafAlone()).accepted).toBe(false);
    expect(reports.map(({ place, loaded }) => [place, loaded])).toEqual([
      ['intermediate', true],
      ['intermediate', true],
    ]);
  });

  it('reports a broken file and keeps the last good set', async () => {
    const verifier = await openWith();
    await writeFile(join(issuers, 'broken.pem'), 'no certificate');
    await verifier.reload();
    expect(reports).toEqual([
      expect.objectContaining({ place: 'intermediate', loaded: false, faults: [expect.anything()] }),
    ]);
    expect(verifier.verify(leafAlone(), new Date(Date.now() + 301_000)).accepted).toBe(true);
  });

  it('names an issuer under which nothing is accepted now', async () => {
    const old = await testCa({
      name: 'Old Issuer',
      notBefore: new Date(Date.now() - 2 * day),
      notAfter: new Date(Date.now() - day),
    });
    const verifier = await openWith();
    await writeFile(join(issuers, 'old.pem'), old.certificatePem);
    await verifier.reload();
    expect(reports.at(-1)?.unusable).toEqual([expect.objectContaining({ subject: 'Old Issuer' })]);
  });

  it('does not open when it is missing or empty', async () => {
    await rm(join(issuers, 'issuing.pem'));
    await expect(openWith()).rejects.toThrow(/^The folder of issuing CAs .* holds no certificate/);
    issuers = join(issuers, 'missing');
    await expect(openWith()).rejects.toThrow(CertificateFolderError);
    issuers = join(issuers, '..');
  });
});
