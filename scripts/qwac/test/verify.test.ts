import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testCa, testQwac } from '@kontoport/testing/qwac';

const qwacScript = join(import.meta.dirname, '../src/main.ts');
let folder: string;
const file = (name: string) => join(folder, name);

function qwac(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [qwacScript, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'qwac-verify-'));
  const root = await testCa({ name: 'Command Line Root' });
  const issuing = await testCa({ name: 'Command Line CA', issuer: root });
  const tpp = { issuer: issuing, organizationName: 'Kommando ApS', organizationIdentifier: 'PSDDK-DFSA-1' };
  const good = await testQwac(tpp);
  const issuerOnly = await testQwac({ ...tpp, roles: ['PSP_IC'] });
  await mkdir(file('anchors'));
  await writeFile(file('anchors/root.pem'), root.certificatePem);
  await writeFile(file('issuing.pem'), issuing.certificatePem);
  await writeFile(file('chain.pem'), good.chainPem);
  await writeFile(file('leaf.pem'), good.certificatePem);
  await writeFile(file('key.pem'), good.keyPem);
  await writeFile(file('other-role.pem'), issuerOnly.chainPem);
});

afterAll(() => rm(folder, { recursive: true }));

describe('npm run qwac -- verify', () => {
  it('accepts a good chain with status 0 and prints one JSON object', () => {
    const { status, stdout } = qwac('verify', '--anchors', file('anchors'), '--json', file('chain.pem'));
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({
      status: 0,
      accepted: true,
      roles: ['PSP_PI', 'PSP_AI'],
      warnings: [],
      checks: expect.arrayContaining([
        {
          check: 'qc-type',
          result: 'passed',
          evidence: 'web',
          clause: 'ETSI EN 319 412-5 §4.2.3',
        },
      ]),
    });
  });

  it('completes the path from --intermediates', () => {
    const anchors = ['--anchors', file('anchors/root.pem')];
    expect(qwac('verify', ...anchors, file('leaf.pem')).status).toBe(1);
    expect(qwac('verify', ...anchors, '--intermediates', file('issuing.pem'), file('leaf.pem')).status).toBe(
      0,
    );
  });

  it('refuses with status 1 and names the first check that failed', () => {
    const expired = ['--at', '2099-01-01T00:00:00Z'];
    const { status, stdout } = qwac('verify', '--anchors', file('anchors'), ...expired, file('chain.pem'));
    expect(status).toBe(1);
    expect(stdout).toMatch(/REFUSED \(CERTIFICATE_EXPIRED\) validity: /);
    expect(
      qwac('verify', '--anchors', file('anchors'), '--max-depth', '0', file('chain.pem')).stdout,
    ).toMatch(/REFUSED \(CERTIFICATE_INVALID\) path-depth: /);
  });

  it('holds the leaf to a purpose', () => {
    const path = ['--anchors', file('anchors'), '--profile', 'path', file('chain.pem')];
    expect(qwac('verify', '--purpose', 'clientAuth', ...path).status).toBe(0);
    expect(qwac('verify', '--purpose', 'signing', ...path).status).toBe(2);
  });

  it('applies the rules of the path or of the leaf alone', () => {
    const anchors = ['--anchors', file('anchors')];
    expect(qwac('verify', ...anchors, '--profile', 'path', file('other-role.pem')).status).toBe(0);
    expect(qwac('verify', '--profile', 'leaf', file('other-role.pem')).status).toBe(1);
    expect(qwac('verify', '--profile', 'leaf', file('leaf.pem')).status).toBe(0);
  });

  it.each([
    ['a file that is missing', ['verify', '--profile', 'leaf', 'missing.pem']],
    ['no anchors', ['verify', 'chain.pem']],
    ['an unknown profile', ['verify', '--profile', 'psd3', 'chain.pem']],
    ['an unknown option', ['verify', '--root', 'x', 'chain.pem']],
    ['a time that is none', ['verify', '--profile', 'leaf', '--at', 'noon', 'chain.pem']],
  ])('ends with status 2 for %s', (_, args) => {
    const { status, stderr } = qwac(...args);
    expect({ status, hasReason: stderr.length > 0 }).toEqual({ status: 2, hasReason: true });
  });

  it('explains its options where they are wrong, and only the file where that is wrong', () => {
    const missing = qwac('verify', '--profile', 'leaf', file('nowhere.pem'));
    expect([missing.status, missing.stderr.trim()]).toEqual([
      2,
      `${file('nowhere.pem')} cannot be read (ENOENT).`,
    ]);
    const wrong = qwac('verify', '--profile', 'other', file('nowhere.pem'));
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toContain('--profile is one of psd2, path, leaf.');
    expect(wrong.stderr).toContain('--intermediates FILE');
  });

  it('refuses a private key with status 2 and prints nothing of it', async () => {
    const { status, stdout, stderr } = qwac('verify', '--profile', 'leaf', file('key.pem'));
    expect(status).toBe(2);
    expect(stdout + stderr).toMatch(/private key/);
    expect(stdout + stderr).not.toMatch(/MIG/);
  });
});

describe('npm run qwac -- inspect', () => {
  it('explains a QWAC in plain language', () => {
    const { status, stdout } = qwac('inspect', file('chain.pem'));
    expect(status).toBe(0);
    expect(stdout).toMatch(/qualified website authentication certificate \(QWAC\) for PSD2/);
    expect(stdout).toMatch(/PSP_AI, account information/);
    expect(stdout).toMatch(/2\. CN=Command Line CA.*issuer of certificate 1/);
  });

  it('says what is wrong and what to ask for', () => {
    const { status, stdout } = qwac('inspect', file('other-role.pem'));
    expect(status).toBe(1);
    expect(stdout).toMatch(/neither PSP_AI nor PSP_PI[^]*Get authorised/);
  });

  it('says that a key is no certificate, with status 2', () => {
    expect(qwac('inspect', file('key.pem')).status).toBe(2);
  });
});
