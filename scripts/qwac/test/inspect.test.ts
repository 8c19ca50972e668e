import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { derElement, derOid, derSequence, OID } from '@kontoport/certificates';
import { type TestCa, testCa, testQwac } from '@kontoport/testing/qwac';
import * as x509 from '@peculiar/x509';

const qwacScript = join(import.meta.dirname, '../src/main.ts');
let folder: string;
let issuer: TestCa;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'qwac-inspect-'));
  issuer = await testCa({ name: 'Inspect CA' });
});

afterAll(() => rm(folder, { recursive: true }));

/** What inspect says about a certificate that differs from a good one. */
async function inspect(change: Partial<Parameters<typeof testQwac>[0]> = {}) {
  const minted = await testQwac({
    issuer,
    organizationName: 'Inspect ApS',
    organizationIdentifier: 'PSDDK-DFSA-1',
    ...change,
  });
  const file = join(folder, 'leaf.pem');
  await writeFile(file, minted.certificatePem);
  const { status, stdout } = spawnSync(process.execPath, [qwacScript, 'inspect', file], { encoding: 'utf8' });
  return { status, text: stdout };
}

describe('npm run qwac -- inspect', () => {
  it('explains a good certificate: what it is, whose, and what its roles open', async () => {
    const { status, text } = await inspect({ roles: ['PSP_AS', 'PSP_AI'] });
    expect(status).toBe(0);
    expect(text).toMatch(/^This is a qualified website authentication certificate \(QWAC\) for PSD2\.$/m);
    expect(text).toMatch(/whose +CN=tpp\.example,organizationIdentifier=PSDDK-DFSA-1,O=Inspect ApS,C=DK$/m);
    expect(text).toMatch(
      /PSP_AS, account servicing, as banks do; PSP_AI, account information\. Here it opens PSP_AI$/m,
    );
    expect(text).toContain('Nothing is wrong with it');
  });

  it('puts a role in words only when identifier and name agree', async () => {
    const { status, text } = await inspect({ roles: [{ oid: '1.2.3.4', name: 'PSP_AI' }] });
    expect(status).toBe(1);
    expect(text).toMatch(/roles +PSP_AI \(1\.2\.3\.4\)\. Here it opens nothing$/m);
    expect(text).toContain('unknown role identifier 1.2.3.4 with the name PSP_AI');
  });

  it('does not say that there are no roles when it cannot read them', async () => {
    const broken = derSequence([derOid(OID.psd2Statement), derSequence([derSequence([])])]);
    const statements = new x509.Extension(OID.qcStatements, false, derSequence([broken]));
    const { text } = await inspect({ extensions: [statements] });
    expect(text).toMatch(/roles +unknown, since the PSD2 statement cannot be read$/m);
  });

  it('tells a precertificate from the certificate', async () => {
    const poison = new x509.Extension(OID.precertificatePoison, true, derElement(5, Buffer.alloc(0)));
    const { text } = await inspect({ extensions: [poison] });
    expect(text).toMatch(/^This is a precertificate/);
    expect(text).toContain('Present the certificate as it was delivered');
  });
});
