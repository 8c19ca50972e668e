import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSandboxCa, type SandboxCa } from '../src/index.ts';

const START = new Date('2026-11-20T12:00:00Z');
const daysLater = (days: number): Date => new Date(START.getTime() + days * 86_400_000);

let folder: string;
const make = (at: Date): Promise<SandboxCa> =>
  ensureSandboxCa({ folder: join(folder, 'ca'), trustAnchors: join(folder, 'anchors'), at });
const read = (file: string): X509Certificate => new X509Certificate(readFileSync(file));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-ca-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the certificate authority of the sandbox', () => {
  it('is a root, an issuing CA under it, and a server certificate for this machine', async () => {
    const ca = await make(START);
    const [root, issuing, server] = [ca.root, ca.issuingCa, ca.server].map(({ certificate }) =>
      read(certificate),
    );
    expect(root!.ca && issuing!.ca && !server!.ca).toBe(true);
    expect(root!.verify(root!.publicKey)).toBe(true);
    expect(issuing!.checkIssued(root!) && issuing!.verify(root!.publicKey)).toBe(true);
    expect(server!.checkIssued(issuing!) && server!.verify(issuing!.publicKey)).toBe(true);
    expect(server!.checkHost('localhost')).toBe('localhost');
    expect(server!.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(root!.publicKey.asymmetricKeyDetails).toMatchObject({ namedCurve: 'prime256v1' });
    expect(ca.renewed).toEqual(['root', 'issuing', 'server']);
  });

  it('keeps its keys readable by their owner only', async () => {
    const ca = await make(START);
    for (const { key } of [ca.root, ca.issuingCa, ca.server]) expect(statSync(key).mode & 0o777).toBe(0o600);
  });

  it('lays its root into the folder of trust anchors, and nothing else', async () => {
    const ca = await make(START);
    const [only, ...others] = readdirSync(join(folder, 'anchors'));
    expect(others).toEqual([]);
    expect(readFileSync(join(folder, 'anchors', only!))).toEqual(readFileSync(ca.root.certificate));
  });

  it('stays as it is while everything lasts', async () => {
    const { server } = await make(START);
    const before = readFileSync(server.certificate);
    expect((await make(daysLater(59))).renewed).toEqual([]);
    expect(readFileSync(server.certificate)).toEqual(before);
  });

  it.each([
    [61, ['server']],
    [1825 - 364, ['issuing', 'server']],
    [3650 - 364, ['root', 'issuing', 'server']],
  ])('after %i days renews %j, before they expire', async (days, renewed) => {
    await make(START);
    const later = await make(daysLater(days));
    expect(later.renewed).toEqual(renewed);
    expect(read(later.server.certificate).validToDate > daysLater(days)).toBe(true);
  });

  it('replaces a key that does not fit its certificate, and all that was issued with it', async () => {
    const ca = await make(START);
    writeFileSync(ca.issuingCa.key, readFileSync(ca.server.key));
    expect((await make(START)).renewed).toEqual(['issuing', 'server']);
  });

  it('replaces a damaged file', async () => {
    const ca = await make(START);
    writeFileSync(ca.server.certificate, 'half a fi');
    expect((await make(START)).renewed).toEqual(['server']);
  });
});
