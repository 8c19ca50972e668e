import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, createServer, type Server, type TlsOptions } from 'node:tls';
import { ensureSandboxCa, type Fault, faultList, FAULTS } from '@kontoport/issuing';
import { kontoport } from '@kontoport/testing/kontoport';
import * as x509 from '@peculiar/x509';

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

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A TLS server with this identity; resolves to its port. */
async function serve(identity: TlsOptions): Promise<number> {
  const server = createServer(identity, (socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const qwac = (...args: string[]) => kontoport(['qwac', ...args]);

describe('kontoport qwac', () => {
  it('mints into a folder: a chain, a key for its owner only, and the call that registers it', async () => {
    const out = join(folder, 'out');
    const first = await qwac('mint', '--data', folder, '--out', out, '--name', 'A & B', '--roles', 'PSP_AI');
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(first.stdout).toContain(`--cert ${join(out, 'chain.pem')} --key ${join(out, 'key.pem')}`);
    expect(statSync(join(out, 'key.pem')).mode & 0o777).toBe(0o600);
    const chain = readFileSync(join(out, 'chain.pem'), 'utf8');
    expect(chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    const root = readFileSync(join(folder, 'ca/root.pem'), 'utf8');
    expect(readFileSync(join(out, 'full-chain.pem'), 'utf8')).toBe(chain + root);
    expect(first.stdout).toContain('full-chain.pem (for POST /tpp/{clientId}/certificates)');
    const key = readFileSync(join(out, 'key.pem'), 'utf8');
    expect(first.stdout).not.toContain(key.split('\n')[1]);

    const again = await qwac('mint', '--data', folder, '--out', out);
    expect(again).toMatchObject({ status: 2 });
    expect(again.stderr).toContain('exists already');
    const wrong = await qwac('mint', '--data', folder, '--out', out, '--days', '826');
    expect(wrong.stderr).toContain('days must be');
    expect(readFileSync(join(out, 'key.pem'), 'utf8')).toBe(key);
  });

  it.each([
    [[], /^Usage: kontoport qwac .*inspect.*verify.*mint/s],
    [['--name', 'X'], /unknown option '--name'/],
    [['mint', '--roles', 'PSP_XX'], /role "PSP_XX" is not one of/],
    [['mint', '--nonsense'], /--nonsense/],
    [['mint', '--password', 'x'], /with --p12 only/],
    [['mint', '--p12', '--csr', 'x'], /contradict/],
    [['mint', '--data', '/nonexistent'], /npm start/],
  ])('refuses %j with status 2 and a reason', async (args, words) => {
    const { status, stderr } = await qwac(
      ...args,
      ...(args[0] === 'mint' && !args.includes('--data') ? ['--data', folder] : []),
    );
    expect(status).toBe(2);
    expect(stderr).toMatch(words);
  });

  it('writes key and chain in one PKCS #12 file that others can open', async () => {
    const out = join(folder, 'p12');
    const { status, stdout } = await kontoport([
      'qwac',
      'mint',
      '--data',
      folder,
      '--out',
      out,
      '--name',
      'Æble ApS',
      '--p12',
      '--password',
      'sésame',
    ]);
    expect(status).toBe(0);
    expect(stdout).toContain('store.p12 (PKCS #12, key and chain)');
    expect(stdout).not.toContain('sésame');
    const store = join(out, 'store.p12');
    expect(statSync(store).mode & 0o777).toBe(0o600);
    // OpenSSL, through Node, reads the store and verifies its MAC.
    const open = (passphrase: string) => createSecureContext({ pfx: readFileSync(store), passphrase });
    expect(() => open('sésame')).not.toThrow();
    expect(() => open('sesame')).toThrow(/mac verify failure/);
    const port = await serve({ pfx: readFileSync(store), passphrase: 'sésame' });
    const seen = await qwac('inspect', '--json', `https://127.0.0.1:${port}`);
    expect(JSON.parse(seen.stdout)).toMatchObject({
      sound: true,
      subject: expect.arrayContaining([{ name: 'O', value: 'Æble ApS' }]),
      others: [expect.stringContaining('CN=')],
    });
  });

  it('certifies the key of a request, and sees nothing of its private half', async () => {
    const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
      'sign',
      'verify',
    ]);
    const request = await x509.Pkcs10CertificateRequestGenerator.create({
      name: 'CN=Somebody Else',
      keys,
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    });
    const [csr, out] = [join(folder, 'mine.csr'), join(folder, 'csr')];
    writeFileSync(csr, request.toString('pem'));
    const { status, stdout } = await qwac(
      'mint',
      '--data',
      folder,
      '--out',
      out,
      '--csr',
      csr,
      '--name',
      'Mine',
    );
    expect(status).toBe(0);
    expect(readdirSync(out).toSorted()).toEqual(['chain.pem', 'full-chain.pem']);
    expect(stdout).toContain('--key YOUR-KEY.pem');
    const leaf = new X509Certificate(readFileSync(join(out, 'chain.pem')));
    const spki = Buffer.from(await webcrypto.subtle.exportKey('spki', keys.publicKey));
    expect(leaf.publicKey.export({ type: 'spki', format: 'der' }).equals(spki)).toBe(true);
    expect(leaf.subject).toContain('O=Mine');
    const anchors = join(folder, 'trust-anchors');
    expect((await qwac('verify', '--anchors', anchors, join(out, 'chain.pem'))).status).toBe(0);

    const forged = Buffer.from(request.rawData);
    forged[forged.length - 1]! ^= 1;
    writeFileSync(csr, forged);
    const refused = await qwac('mint', '--data', folder, '--out', join(folder, 'no'), '--csr', csr);
    expect(refused).toMatchObject({
      status: 2,
      stderr: 'kontoport qwac mint: the signature of the certificate request is invalid\n',
    });
    writeFileSync(csr, 'nonsense');
    const unreadable = await qwac('mint', '--data', folder, '--out', join(folder, 'no'), '--csr', csr);
    expect(unreadable).toMatchObject({ status: 2, stderr: expect.stringContaining('PKCS #10') });
    expect(readdirSync(folder)).not.toContain('no');
  });
});

describe('npm run qwac -- mint --fault', () => {
  const verify = (out: string) =>
    qwac('verify', '--anchors', join(folder, 'trust-anchors'), join(out, 'chain.pem'));

  it('writes the chain with its occasional CA and no private key but the leaf’s, and says what refuses it', async () => {
    const out = join(folder, 'path-length');
    const minted = await qwac('mint', '--data', folder, '--out', out, '--fault', 'path-length');
    expect(minted).toMatchObject({ status: 0, stderr: '' });
    expect(minted.stdout).toContain('Refused by the check path-length');
    expect(readdirSync(out).toSorted()).toEqual(['chain.pem', 'full-chain.pem', 'key.pem']);
    expect(statSync(join(out, 'key.pem')).mode & 0o777).toBe(0o600);
    const chain = readFileSync(join(out, 'chain.pem'), 'utf8');
    expect(chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(3);
    expect(chain).not.toContain('PRIVATE KEY');

    const { status, stdout } = await verify(out);
    expect(status).toBe(1);
    expect(stdout).toMatch(/REFUSED \(CERTIFICATE_INVALID\) path-length: /);
  });

  it('says which warning an accepted certificate carries', async () => {
    const out = join(folder, 'nca-mismatch');
    const minted = await qwac('mint', '--data', folder, '--out', out, '--fault', 'nca-mismatch');
    expect(minted.stdout).toContain('Accepted, with a warning of the check nca-agreement');
    const { status, stdout } = await verify(out);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^warning +nca-agreement /m);
  });

  it('lists every fault with its check, those that are only warned about apart', async () => {
    const { status, stdout } = await qwac('mint', '--list-faults');
    expect({ status, stdout }).toEqual({ status: 0, stdout: `${faultList()}\n` });
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

  it('refuses an unknown fault with status 2 in one line, and writes nothing', async () => {
    const out = join(folder, 'unknown');
    const { status, stdout, stderr } = await qwac(
      'mint',
      '--data',
      folder,
      '--out',
      out,
      '--fault',
      'toString',
    );
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toBe('kontoport qwac mint: no fault is called "toString". --list-faults shows all\n');
    expect(readdirSync(folder)).not.toContain('unknown');
  });
});
