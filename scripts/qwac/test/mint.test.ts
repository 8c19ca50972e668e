import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSandboxCa, type Fault, faultList, FAULTS } from '@kontoport/issuing';

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-mint-'));
  await ensureSandboxCa({
    folder: join(folder, 'ca'),
    trustAnchors: join(folder, 'trust-anchors'),
    at: new Date(),
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const qwac = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const script = join(import.meta.dirname, '../src/main.ts');
    execFile(process.execPath, [script, ...args], (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });

describe('npm run qwac', () => {
  it('mints into a folder: a chain, a key for its owner only, and the call that registers it', async () => {
    const out = join(folder, 'out');
    const first = await qwac('mint', '--data', folder, '--out', out, '--name', 'A & B', '--roles', 'PSP_AI');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain(`--cert ${join(out, 'chain.pem')} --key ${join(out, 'key.pem')}`);
    expect(statSync(join(out, 'key.pem')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(out, 'chain.pem'), 'utf8').match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
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

describe('npm run qwac -- mint --fault', () => {
  const verify = (out: string) =>
    qwac('verify', '--anchors', join(folder, 'trust-anchors'), join(out, 'chain.pem'));

  it('writes the chain with its occasional CA and no private key but the leaf’s, and says what refuses it', async () => {
    const out = join(folder, 'path-length');
    const minted = await qwac('mint', '--data', folder, '--out', out, '--fault', 'path-length');
    expect(minted).toMatchObject({ code: 0, stderr: '' });
    expect(minted.stdout).toContain('Refused by the check path-length');
    expect(readdirSync(out).toSorted()).toEqual(['chain.pem', 'key.pem']);
    expect(statSync(join(out, 'key.pem')).mode & 0o777).toBe(0o600);
    const chain = readFileSync(join(out, 'chain.pem'), 'utf8');
    expect(chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(3);
    expect(chain).not.toContain('PRIVATE KEY');

    const { code, stdout } = await verify(out);
    expect(code).toBe(1);
    expect(stdout).toMatch(/REFUSED \(CERTIFICATE_INVALID\) path-length: /);
  });

  it('says which warning an accepted certificate carries', async () => {
    const out = join(folder, 'nca-mismatch');
    const minted = await qwac('mint', '--data', folder, '--out', out, '--fault', 'nca-mismatch');
    expect(minted.stdout).toContain('Accepted, with a warning of the check nca-agreement');
    const { code, stdout } = await verify(out);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^warning +nca-agreement /m);
  });

  it('lists every fault with its check, those that are only warned about apart', async () => {
    const { code, stdout } = await qwac('mint', '--list-faults');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${faultList()}\n` });
    const [refused, accepted] = stdout.split('Accepted with a warning');
    for (const [name, { check, result, summary }] of Object.entries<Fault>(FAULTS)) {
      const part = result === 'warning' ? accepted : refused;
      expect(part!.split('\n').map((line) => line.trim().split(/ {2,}/))).toContainEqual([
        name,
        check,
        summary,
      ]);
    }
  });

  it('refuses an unknown fault with status 2 and the list, and writes nothing', async () => {
    const out = join(folder, 'unknown');
    const { code, stdout, stderr } = await qwac(
      'mint',
      '--data',
      folder,
      '--out',
      out,
      '--fault',
      'toString',
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('no fault is called "toString"');
    expect(stderr).toContain(faultList());
    expect(readdirSync(folder)).not.toContain('unknown');
  });
});
