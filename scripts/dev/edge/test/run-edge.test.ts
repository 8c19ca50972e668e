import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSandboxCa, type SandboxCa } from '@kontoport/issuing';
import { Lifecycle } from '@kontoport/lifecycle';
import { readEdgeConfig } from '../src/config.ts';
import { runEdge } from '../src/run-edge.ts';

let folder: string;
let ca: SandboxCa;

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

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-run-edge-'));
  ca = await ensureSandboxCa({
    folder: join(folder, 'ca'),
    trustAnchors: join(folder, 'trust-anchors'),
    at: new Date(),
  });
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

  it('is ready when it listens', async () => {
    const lifecycle = new Lifecycle();
    const { opsPort, logger } = await runEdge({ env: environment(), lifecycle });
    try {
      expect((await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status).toBe(200);
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
