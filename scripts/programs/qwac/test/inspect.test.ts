import 'reflect-metadata';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { derElement, derOid, derSequence, OID } from '@kontoport/certificates';
import { ensureSandboxCa } from '@kontoport/issuing';
import { kontoport } from '@kontoport/testing/kontoport';
import { type TestCa, testCa, testQwac } from '@kontoport/testing/qwac';
import * as x509 from '@peculiar/x509';

let folder: string;
let issuer: TestCa;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'qwac-inspect-'));
  issuer = await testCa({ name: 'Inspect CA' });
});

afterAll(() => rm(folder, { recursive: true }));

/** The server certificate of a sandbox: no QWAC. */
async function ensureServer() {
  const ca = await ensureSandboxCa({
    folder: join(folder, 'ca'),
    trustAnchors: join(folder, 'anchors'),
    at: new Date(),
  });
  return ca.server;
}

/** Runs `inspect` on a certificate that differs from a good one. */
async function inspect(change: Partial<Parameters<typeof testQwac>[0]> = {}) {
  const minted = await testQwac({
    issuer,
    organizationName: 'Inspect ApS',
    organizationIdentifier: 'PSDDK-DFSA-1',
    ...change,
  });
  const file = join(folder, 'leaf.pem');
  await writeFile(file, minted.certificatePem);
  const { status, stdout } = await kontoport(['qwac', 'inspect', file]);
  return { status, text: stdout };
}

describe('npm run qwac -- inspect', () => {
  it('explains a good certificate: what it is, whose, and what its roles open', async () => {
    const { status, text } = await inspect({ roles: ['PSP_AS', 'PSP_AI'] });
    expect(status).toBe(0);
    expect(text).toMatch(/^This is a qualified website authentication certificate \(QWAC\) for PSD2\.$/m);
    expect(text).toMatch(
      /^ {2}legal name +Inspect ApS\n {2}organizationIdentifier +PSDDK-DFSA-1\n {2}common name +tpp\.example\n {2}country +DK\n/m,
    );
    expect(text).toMatch(/^ {2}valid +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ to \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m);
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

  it('says of an expired one that otherwise it would be accepted, in whole seconds', async () => {
    const day = 86_400_000;
    const { status, text } = await inspect({
      notBefore: new Date(Date.now() - 2 * day),
      notAfter: new Date(Date.now() - day),
    });
    expect(status).toBe(1);
    expect(text).toMatch(/expired at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \[validity;/);
    expect(text).toContain('Otherwise it would be accepted');
    const { text: more } = await inspect({
      notBefore: new Date(Date.now() - 2 * day),
      notAfter: new Date(Date.now() - day),
      roles: ['PSP_IC'],
    });
    expect(more).not.toContain('Otherwise');
  });

  it('judges a CA and an ordinary TLS certificate in one sentence, and with --all check by check', async () => {
    const anchor = await kontoport(['qwac', 'inspect', '-'], { input: issuer.certificatePem });
    expect(anchor.status).toBe(1);
    expect(anchor.stdout).toMatch(
      /^This is the certificate of a certification authority\. [^]*use it as a\strust anchor: verify/,
    );
    expect(anchor.stdout).toMatch(/As a QWAC it fails \d+ checks; --all shows them\.$/m);
    expect(anchor.stdout).not.toContain('What is wrong');
    const all = await kontoport(['qwac', 'inspect', '--all', '-'], { input: issuer.certificatePem });
    expect(all.stdout).toContain('What is wrong, and what to do:');

    const { certificate } = await ensureServer();
    const tls = await kontoport(['qwac', 'inspect', certificate]);
    expect(tls.stdout).toMatch(
      /^This is an ordinary TLS certificate\. [^]*ask a qualified trust\sservice provider/,
    );
    expect(tls.stdout).not.toContain('What is wrong');
  });

  it('lists a bundle of CAs as a table', async () => {
    const other = await testCa({ name: 'Second CA' });
    const { stdout } = await kontoport(['qwac', 'inspect', '-'], {
      input: issuer.certificatePem + other.certificatePem,
    });
    expect(stdout).toMatch(/^These are 2 certification authorities\.$/m);
    expect(stdout).toMatch(/^ {2}\d{4}-\d\d-\d\d {2}.*CN=Inspect CA/m);
    expect(stdout).toMatch(/^ {2}\d{4}-\d\d-\d\d {2}.*CN=Second CA/m);
  });

  it('reads a certificate off a server, and says so when there is none', async () => {
    const { certificate, key } = await ensureServer();
    const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { status, stdout } = await kontoport(['qwac', 'inspect', url]);
    server.close();
    await once(server, 'close');
    expect(status).toBe(1);
    expect(stdout).toMatch(/^This is an ordinary TLS certificate/);
    expect(stdout).toMatch(/websites +.*localhost/);
    expect(await kontoport(['qwac', 'inspect', url])).toMatchObject({
      status: 2,
      stderr: `kontoport qwac inspect: ${url}: ECONNREFUSED\n`,
    });
  });

  it('tells as JSON what it tells in words, errors included', async () => {
    const good = await testQwac({
      issuer,
      organizationName: 'Inspect ApS',
      organizationIdentifier: 'PSDDK-DFSA-1',
    });
    const { status, stdout } = await kontoport(['qwac', 'inspect', '--json', '-'], { input: good.chainPem });
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({
      status: 0,
      sound: true,
      kind: 'a qualified website authentication certificate (QWAC) for PSD2',
      subject: expect.arrayContaining([{ name: 'O', value: 'Inspect ApS' }]),
      failed: [],
    });
    const nothing = await kontoport(['qwac', 'inspect', '--json', '-'], { input: 'x' });
    expect({ status: nothing.status, stderr: nothing.stderr, ...JSON.parse(nothing.stdout) }).toEqual({
      status: 2,
      stderr: '',
      sound: null,
      error: expect.stringMatching(/^standard input: This is neither PEM/),
    });
  });

  it('refuses an input that is too large before it reads it all', async () => {
    const { status, stderr } = await kontoport(['qwac', 'inspect', '-'], {
      input: Buffer.alloc(4_000_001, 48),
    });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'kontoport qwac inspect: standard input: more than 4000000 bytes\n',
    });
  });
});
