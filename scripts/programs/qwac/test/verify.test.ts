import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kontoport } from '@kontoport/testing/kontoport';
import { testCa, testQwac } from '@kontoport/testing/qwac';

let folder: string;
const file = (name: string) => join(folder, name);

const qwac = (...args: string[]) => kontoport(['qwac', ...args]);

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
  it('accepts a good chain with status 0 and prints one JSON object', async () => {
    const { status, stdout } = await qwac(
      'verify',
      '--anchors',
      file('anchors'),
      '--json',
      file('chain.pem'),
    );
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

  it('begins with the verdict and goes on with what did not pass; --all shows every check', async () => {
    const anchors = ['verify', '--anchors', file('anchors')];
    const accepted = await qwac(...anchors, file('chain.pem'));
    expect(accepted.stdout).toMatch(
      /^ACCEPTED Kommando ApS as PSP_PI, PSP_AI\n\n\d+ checks passed; --all shows them\.\n$/,
    );
    const refused = await qwac(...anchors, file('other-role.pem'));
    expect(refused.stdout).toMatch(/^REFUSED \(ROLE_INVALID\) [^]*\n\nfailed /);
    expect(refused.stdout).not.toMatch(/^passed/m);
    const all = await qwac(...anchors, '--all', file('chain.pem'));
    expect(all.stdout).toMatch(/^ACCEPTED .*\n\npassed +encoding /);
    expect(all.stdout).toMatch(/\n\d+ checks passed\.\n$/);
  });

  it('says of an expired chain, and of one that is not valid yet, that otherwise it would be accepted', async () => {
    const anchors = ['verify', '--anchors', file('anchors')];
    for (const at of ['2099-01-01T00:00:00Z', '2001-01-01T00:00:00Z']) {
      const { status, stdout } = await qwac(...anchors, '--at', at, file('chain.pem'));
      expect(status).toBe(1);
      expect(stdout.split('\n')[1]).toBe('Otherwise it would be accepted.');
      const json = await qwac(...anchors, '--at', at, '--json', file('chain.pem'));
      expect(JSON.parse(json.stdout)).toMatchObject({ accepted: false, otherwiseAccepted: true });
      const other = await qwac(...anchors, '--at', at, file('other-role.pem'));
      expect(other.stdout).not.toContain('Otherwise');
    }
  });

  it('takes the anchors of the local stack when none are named', async () => {
    await mkdir(file('data'));
    const none = await qwac('verify', '--data', file('data'), file('chain.pem'));
    expect(none.status).toBe(2);
    expect(none.stderr).toMatch(/--anchors is needed/);
    await cp(file('anchors'), file('data/trust-anchors'), { recursive: true });
    expect((await qwac('verify', '--data', file('data'), file('chain.pem'))).status).toBe(0);
  });

  it('completes the path from --intermediates', async () => {
    const anchors = ['--anchors', file('anchors/root.pem')];
    expect((await qwac('verify', ...anchors, file('leaf.pem'))).status).toBe(1);
    expect(
      (await qwac('verify', ...anchors, '--intermediates', file('issuing.pem'), file('leaf.pem'))).status,
    ).toBe(0);
  });

  it('refuses with status 1 and names the first check that failed', async () => {
    const anchors = ['verify', '--anchors', file('anchors')];
    const expired = await qwac(...anchors, '--at', '2099-01-01T00:00:00Z', file('chain.pem'));
    expect(expired.status).toBe(1);
    expect(expired.stdout).toMatch(/REFUSED \(CERTIFICATE_EXPIRED\) validity: /);
    const deep = await qwac(...anchors, '--max-depth', '0', file('chain.pem'));
    expect(deep.stdout).toMatch(/REFUSED \(CERTIFICATE_INVALID\) path-depth: /);
  });

  it('holds the leaf to a purpose', async () => {
    const path = ['--anchors', file('anchors'), '--profile', 'path', file('chain.pem')];
    expect((await qwac('verify', '--purpose', 'clientAuth', ...path)).status).toBe(0);
    expect((await qwac('verify', '--purpose', 'signing', ...path)).status).toBe(2);
  });

  it('applies the rules of the path or of the leaf alone', async () => {
    const anchors = ['--anchors', file('anchors')];
    expect((await qwac('verify', ...anchors, '--profile', 'path', file('other-role.pem'))).status).toBe(0);
    expect((await qwac('verify', '--profile', 'leaf', file('other-role.pem'))).status).toBe(1);
    expect((await qwac('verify', '--profile', 'leaf', file('leaf.pem'))).status).toBe(0);
  });

  it('tells an error in one line: the command, what is wrong, what to do', async () => {
    const missing = await qwac('verify', '--profile', 'leaf', file('nowhere.pem'));
    expect([missing.status, missing.stderr]).toEqual([
      2,
      `kontoport qwac verify: ${file('nowhere.pem')} cannot be read (ENOENT)\n`,
    ]);
    const wrong = await qwac('verify', '--profile', 'path2', file('nowhere.pem'));
    expect([wrong.status, wrong.stderr]).toEqual([
      2,
      `kontoport qwac verify: option '--profile <P>' argument 'path2' is invalid. Allowed choices are psd2, path, leaf. --help shows all\n`,
    ]);
  });

  it('refuses a private key with status 2 and prints nothing of it', async () => {
    const { status, stdout, stderr } = await qwac('verify', '--profile', 'leaf', file('key.pem'));
    expect(status).toBe(2);
    expect(stdout + stderr).toMatch(/private key/);
    expect(stdout + stderr).not.toMatch(/MIG/);
  });
});
