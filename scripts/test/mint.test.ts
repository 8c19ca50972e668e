import { execFile } from 'node:child_process';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openVerifier } from '@kontoport/certificates';
import { ensureSandboxCa, type SandboxCa } from '../local/sandbox-ca.ts';
import { mintQwac, type QwacRequest, slug } from '../qwac/mint.ts';

const REQUEST: QwacRequest = {
  name: 'Ærlig Økonomi & Søn ApS',
  organizationIdentifier: 'PSDDK-DFSA-27541826',
  roles: ['PSP_PI', 'PSP_AI'],
  days: 30,
};

let folder: string;
let ca: SandboxCa;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-mint-'));
  ca = await ensureSandboxCa({
    folder: join(folder, 'ca'),
    trustAnchors: join(folder, 'trust-anchors'),
    at: new Date(),
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const split = (pem: string): X509Certificate[] =>
  pem.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g)!.map((one) => new X509Certificate(one));

describe('a minted QWAC (EN 319 412-4, TS 119 495)', () => {
  it('is accepted by the strict verifier, with its roles and organization', async () => {
    const { chainPem } = await mintQwac(REQUEST, ca.issuingCa, new Date());
    const verifier = await openVerifier({ trustAnchors: join(folder, 'trust-anchors') });
    const verdict = verifier.verify(split(chainPem).map(({ raw }) => new Uint8Array(raw)));
    await verifier.close();
    expect(verdict.failure).toBeUndefined();
    expect(verdict).toMatchObject({
      accepted: true,
      warnings: [],
      organization: { identifier: 'PSDDK-DFSA-27541826', name: REQUEST.name },
    });
    expect([...verdict.roles].toSorted()).toEqual(['PSP_AI', 'PSP_PI']);
  });

  it('presents the leaf and the issuing CA, leaf first, with the key that fits', async () => {
    const { chainPem, keyPem } = await mintQwac(REQUEST, ca.issuingCa, new Date());
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
    const { notAfter } = await mintQwac(REQUEST, ca.issuingCa, late);
    expect(notAfter.getTime() - late.getTime()).toBe(86_400_000);
  });

  it.each<[Partial<QwacRequest>, RegExp]>([
    [{ organizationIdentifier: 'DK12345678' }, /PSD<country>-<authority>-<number>/],
    [{ roles: [] }, /at least one role/],
    [{ days: 0 }, /1 to 825/],
    [{ days: 1.5 }, /1 to 825/],
    [{ name: ' ' }, /1 to 64 characters/],
  ])('is refused for %j', async (change, words) => {
    await expect(mintQwac({ ...REQUEST, ...change }, ca.issuingCa, new Date())).rejects.toThrow(words);
  });

  it('names its files in plain letters', () => {
    expect(slug('Ærlig Økonomi & Søn ApS')).toBe('aerlig-oekonomi-soen-aps');
    expect(slug('株式会社')).toBe('tpp');
  });
});

describe('npm run qwac', () => {
  const qwac = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      const script = join(import.meta.dirname, '../qwac.ts');
      execFile(process.execPath, [script, ...args], (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
      );
    });

  it('mints into a folder: a chain, a key for its owner only, and the call that registers it', async () => {
    const out = join(folder, 'out');
    const first = await qwac('mint', '--data', folder, '--out', out, '--name', 'A & B', '--roles', 'PSP_AI');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain(`--cert ${join(out, 'chain.pem')} --key ${join(out, 'key.pem')}`);
    expect(statSync(join(out, 'key.pem')).mode & 0o777).toBe(0o600);
    expect(split(readFileSync(join(out, 'chain.pem'), 'utf8'))).toHaveLength(2);
    const key = readFileSync(join(out, 'key.pem'), 'utf8');
    expect(first.stdout).not.toContain(key.split('\n')[1]);

    const again = await qwac('mint', '--data', folder, '--out', out);
    expect(again).toMatchObject({ code: 2 });
    expect(again.stderr).toContain('exists already');
    expect(readFileSync(join(out, 'key.pem'), 'utf8')).toBe(key);
  });

  it.each([
    [[], /no command given/],
    [['--name', 'X'], /unknown command: --name/],
    [['mint', '--roles', 'PSP_XX'], /role "PSP_XX" is not one of/],
    [['mint', '--nonsense'], /--nonsense/],
    [['mint', '--data', '/nonexistent'], /npm start/],
  ])('refuses %j with status 2 and a reason', async (args, words) => {
    const { code, stderr } = await qwac(
      ...args,
      ...(args[0] === 'mint' && !args.includes('--data') ? ['--data', folder] : []),
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
  });

  it('explains itself with --help', async () => {
    expect((await qwac('--help')).stdout).toContain('mint');
    expect((await qwac('mint', '--help')).stdout).toContain('--organization');
  });
});
