import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { until } from '@kontoport/embedded/wait';
import { ensureSandboxCa, type SandboxCa } from '@kontoport/issuing';
import { Lifecycle } from '@kontoport/runtime';
import { readEdgeConfig } from '../src/config.ts';
import { runEdge } from '../src/run-edge.ts';

let folder: string;
let ca: SandboxCa;

const DAY_MS = 86_400_000;
const LONG_AFTER = new Date(Date.now() + 61 * DAY_MS);
const make = (at: Date): Promise<SandboxCa> =>
  ensureSandboxCa({ folder: join(folder, 'ca'), trustAnchors: join(folder, 'trust-anchors'), at });

function environment(): Record<string, string> {
  const upstreams = ['REGISTRATION', 'AUTH', 'USER', 'ACCOUNT_INFORMATION', 'PAYMENTS', 'WEBHOOK_DISPATCHER'];
  return {
    BASE_PORT: '0',
    REGISTRATION_PORT: '0',
    AUTH_PORT: '0',
    USER_PORT: '0',
    OPS_PORT: '0',
    SERVER_CERTIFICATE: ca.server.certificate,
    SERVER_KEY: ca.server.key,
    EDGE_SECRET: 'x'.repeat(32),
    LOG_LEVEL: 'silent',
    ...Object.fromEntries(upstreams.map((name) => [`${name}_UPSTREAM`, '127.0.0.1:1'])),
  };
}

/** The serial number of the certificate that a new connection is shown. */
async function shownBy(url: string): Promise<string> {
  const { port } = new URL(url);
  const socket: TLSSocket = connect({ port: Number(port), host: 'localhost', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-run-edge-'));
  ca = await make(new Date());
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the edge as a program', () => {
  it('bounds handshakes and connections where nobody says how', () => {
    expect(readEdgeConfig(environment()).options).toMatchObject({
      hosts: ['127.0.0.1', '::1'],
      handshakeMs: 10_000,
      connections: { perAddress: 500, inAll: 1_000 },
    });
  });

  it('sends one secret, however many the services hear', () => {
    const [one, other] = ['x'.repeat(32), 'y'.repeat(32)];
    expect(readEdgeConfig(environment()).options).toMatchObject({ edgeSecret: one });
    expect(() => readEdgeConfig({ ...environment(), EDGE_SECRET: `${one},${other}` })).toThrow(
      'EDGE_SECRET: one secret',
    );
  });

  it('is ready when it listens, and shows a renewed certificate without a restart', async () => {
    const lifecycle = new Lifecycle();
    const { edge, opsPort, logger } = await runEdge({
      env: environment(),
      lifecycle,
      certificateCheckMs: 5,
    });
    try {
      expect((await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status).toBe(200);
      const before = await shownBy(edge.urls.base);
      expect((await make(LONG_AFTER)).renewed).toEqual(['server']);
      await until(async () => (await shownBy(edge.urls.base)) !== before, {
        what: 'the renewed certificate to be shown',
      });
    } finally {
      await lifecycle.close(logger);
    }
  });

  it('goes on with the certificate it has while the new one is half there', async () => {
    const lifecycle = new Lifecycle();
    const { edge, logger } = await runEdge({ env: environment(), lifecycle, certificateCheckMs: 5 });
    try {
      const before = await shownBy(edge.urls.base);
      renameSync(ca.server.key, `${ca.server.key}.away`);
      writeFileSync(ca.server.key, 'half a key');
      expect(await shownBy(edge.urls.base)).toBe(before);
      expect(await shownBy(edge.urls.user)).toBe(before);
    } finally {
      await lifecycle.close(logger);
    }
  });

  it('names every variable that is missing or malformed, and opens nothing', async () => {
    const { BASE_PORT: _missing, ...rest } = environment();
    const lifecycle = new Lifecycle();
    await expect(
      runEdge({ env: { ...rest, PAYMENTS_UPSTREAM: 'payments' }, lifecycle }),
    ).rejects.toMatchObject({
      faults: ['BASE_PORT: missing', 'PAYMENTS_UPSTREAM: host:port'],
    });
  });
});
