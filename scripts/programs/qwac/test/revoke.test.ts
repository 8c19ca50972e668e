import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openVerifier, readCertificates } from '@kontoport/certificates';
import { ensureSandboxCa, type Responder, revoke, startResponder } from '@kontoport/issuing';
import { describeWith } from '@kontoport/testing/describe-with';
import { kontoport } from '@kontoport/testing/kontoport';
import { testCa, testQwac } from '@kontoport/testing/qwac';

const run = promisify(execFile);

let data: string;
let responder: Responder;
const ca = (name = ''): string => join(data, 'ca', name);

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'kontoport-revoke-'));
  responder = await startResponder({ ca: ca(), port: 0 });
  await ensureSandboxCa({
    folder: ca(),
    trustAnchors: join(data, 'trust-anchors'),
    at: new Date(),
    responder: responder.origin,
  });
});
afterAll(async () => {
  await responder.close();
  rmSync(data, { recursive: true, force: true });
});

const qwac = (...args: string[]) => kontoport(['qwac', ...args]);
const revokeIt = (file: string, ...args: string[]) => qwac('revoke', '--data', data, ...args, file);

/** A freshly minted certificate's chain.pem. */
async function mint(name: string): Promise<string> {
  const out = join(data, 'qwac', name);
  expect(await qwac('mint', '--data', data, '--name', name, '--out', out)).toMatchObject({ status: 0 });
  return join(out, 'chain.pem');
}

/** Judges a chain as a service with `hard-fail` and an empty cache does. */
async function judge(chain: string) {
  const verifier = await openVerifier({
    trustAnchors: join(data, 'trust-anchors'),
    revocation: {
      mode: 'hard-fail',
      timeLimit: 20_000,
      fetch: async ({ url, method, headers, body }) => {
        const response = await fetch(url, { method, headers, ...(body && { body: Uint8Array.from(body) }) });
        return { bytes: new Uint8Array(await response.arrayBuffer()) };
      },
    },
  });
  const { accepted, failure } = await verifier.decide(
    readCertificates(readFileSync(chain)).map(({ der }) => der),
  );
  return { accepted, errorCode: failure?.errorCode };
}

describe('kontoport qwac revoke', () => {
  it('revokes a minted certificate for whoever asks its responder, and no other', async () => {
    const [chain, neighbour] = [await mint('One'), await mint('Two')];
    expect(await judge(chain)).toEqual({ accepted: true, errorCode: undefined });
    const { status, stdout, stderr } = await revokeIt(chain, '--reason', 'keyCompromise');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^Revoked: .*O=One.*, serial .*, at \d{4}-.*Z, keyCompromise\.\n/);
    expect(stdout).toContain('401 CERTIFICATE_REVOKED');
    expect(await judge(chain)).toEqual({ accepted: false, errorCode: 'CERTIFICATE_REVOKED' });
    expect(await judge(neighbour)).toEqual({ accepted: true, errorCode: undefined });
  });

  it('makes verify refuse it as the door does, whatever names the anchors', async () => {
    const [chain, neighbour] = [await mint('Four'), await mint('Five')];
    await revokeIt(chain);
    for (const anchors of [[], ['--anchors', ca('root.pem')]]) {
      const verify = (file: string) => qwac('verify', '--data', data, ...anchors, file);
      const refused = await verify(chain);
      expect(refused.status).toBe(1);
      expect(refused.stdout).toMatch(/^REFUSED \(CERTIFICATE_REVOKED\) /);
      expect(await verify(neighbour)).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/^ACCEPTED Five /),
      });
    }
  });

  it('says that it was revoked before, with the reason and time that stand, and status 0', async () => {
    const chain = await mint('Again');
    const first = await revokeIt(chain, '--reason', 'superseded');
    const at = /at (\S+Z)/.exec(first.stdout)![1]!;
    const second = await revokeIt(chain, '--reason', 'keyCompromise');
    expect(second).toMatchObject({ status: 0, stderr: '' });
    expect(second.stdout).toMatch(/^It was revoked before: /);
    expect(second.stdout).toContain(`at ${at}, superseded.`);
  });

  it('is done once by two that do it at once, and leaves nothing half beside it', async () => {
    const chain = await mint('Twins');
    const certificate = readCertificates(readFileSync(chain))[0]!.der;
    const done = await Promise.all([
      ...Array.from({ length: 8 }, () =>
        revoke({ ca: ca(), certificate, reason: 'unspecified', at: new Date() }).then(({ isNew }) => isNew),
      ),
      revokeIt(chain).then(({ stdout }) => stdout.startsWith('Revoked')),
      revokeIt(chain).then(({ stdout }) => stdout.startsWith('Revoked')),
    ]);
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(readdirSync(ca('revoked')).filter((name) => !name.endsWith('.json'))).toEqual([]);
  });

  it('refuses with status 1 what others have issued, and the CAs of the sandbox themselves', async () => {
    const foreign = join(data, 'foreign.pem');
    const issuer = await testCa({ name: 'Kontoport Sandbox QWAC CA' });
    const stranger = await testQwac({
      issuer,
      organizationName: 'X',
      organizationIdentifier: 'PSDSE-FINA-1',
    });
    writeFileSync(foreign, stranger.chainPem);
    expect(await revokeIt(foreign)).toEqual({
      status: 1,
      stdout: '',
      stderr: `kontoport qwac revoke: ${foreign} is refused: it was not issued by this sandbox's CAs\n`,
    });
    for (const own of [ca('issuing-ca.pem'), ca('root.pem')]) {
      const refused = await revokeIt(own);
      expect(refused).toMatchObject({ status: 1, stdout: '' });
      expect(refused.stderr).toContain('a CA of the sandbox itself');
    }
  });

  it('says that nobody will ask about a certificate that names no responder of the sandbox', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'kontoport-mute-'));
    const folder = join(elsewhere, 'ca');
    await ensureSandboxCa({ folder, trustAnchors: join(elsewhere, 'anchors'), at: new Date() });
    const out = join(elsewhere, 'out');
    await qwac('mint', '--data', elsewhere, '--out', out);
    const { status, stdout } = await qwac('revoke', '--data', elsewhere, join(out, 'chain.pem'));
    expect(status).toBe(0);
    expect(stdout).toContain('names no OCSP responder');
    rmSync(elsewhere, { recursive: true });
  });

  it('refuses what is no certificate, and a folder without sandbox, with words', async () => {
    const file = join(data, 'nonsense.pem');
    writeFileSync(file, 'nonsense');
    expect((await revokeIt(file)).status).toBe(2);
    const without = await qwac('revoke', '--data', '/nonexistent', await mint('Nowhere'));
    expect(without.status).toBe(1);
    expect(without.stderr).toContain('npm start');
  });
});

/** Words are parted by single spaces; no path here has one. */
const openssl = async (words: string): Promise<string> => {
  const { stdout, stderr } = await run('openssl', words.split(' '));
  return stderr + stdout;
};

const missing = await openssl('version').then(
  () => undefined,
  () => 'needs the openssl program: apt install openssl',
);

describeWith('what the sandbox says of revocation, as OpenSSL reads it', { missing }, () => {
  const status = (cert: string, issuer: string): Promise<string> =>
    openssl(
      `ocsp -issuer ${ca(issuer)} -cert ${cert} -url ${responder.origin}/ocsp -CAfile ${ca('root.pem')} -no_nonce -resp_text`,
    );

  /** The list of a CA as it is now, PEM. */
  async function fetchList(name: string): Promise<string> {
    const response = await fetch(`${responder.origin}/${name}.crl`);
    expect(response.headers.get('content-type')).toBe('application/pkix-crl');
    const der = join(data, `${name}.crl`);
    writeFileSync(der, new Uint8Array(await response.arrayBuffer()));
    await openssl(`crl -inform DER -in ${der} -out ${der}.pem`);
    return `${der}.pem`;
  }

  it('is an OCSP answer for leaf and issuing CA: good, then revoked with the reason, for ten seconds', async () => {
    const chain = await mint('Asked');
    expect(await status(chain, 'issuing-ca.pem')).toMatch(/Response verify OK[^]*chain\.pem: good/);
    expect(await status(ca('issuing-ca.pem'), 'root.pem')).toMatch(/Response verify OK[^]*pem: good/);
    await revokeIt(chain, '--reason', 'cessationOfOperation');
    const said = await status(chain, 'issuing-ca.pem');
    expect(said).toMatch(/Response verify OK[^]*chain\.pem: revoked/);
    expect(said).toMatch(/Reason: cessationOfOperation/);
    const [from, to] = ['This', 'Next'].map((word) =>
      Date.parse(new RegExp(`${word} Update: (.*GMT)`).exec(said)![1]!),
    );
    expect(to! - from!).toBe(10_000);
  });

  it('is a list for each CA, whose signature holds and against which a path can be verified', async () => {
    const chain = await mint('Listed');
    const verify = async (): Promise<string> => {
      const lists = join(data, 'lists.pem');
      const files = await Promise.all(['root', 'issuing-ca'].map(fetchList));
      writeFileSync(lists, files.map((file) => readFileSync(file, 'utf8')).join(''));
      return openssl(
        `verify -crl_check_all -CAfile ${ca('root.pem')} -untrusted ${ca('issuing-ca.pem')} -CRLfile ${lists} ${chain}`,
      ).catch((error: { stderr: string }) => error.stderr);
    };
    expect(await verify()).toMatch(/: OK/);
    await revokeIt(chain, '--reason', 'superseded');
    expect(await verify()).toMatch(/certificate revoked/);
    const list = await fetchList('issuing-ca');
    expect(await openssl(`crl -in ${list} -noout -text -verify -CAfile ${ca('issuing-ca.pem')}`)).toMatch(
      /verify OK[^]*Superseded/,
    );
  });
});
