import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCollector } from '@kontoport/testing/collector';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { killTiny, startTiny as startProcess } from './fixtures/tiny-process.ts';

let peers: FakePeers;
beforeAll(async () => {
  peers = await startFakePeers();
});
afterEach(killTiny);
afterAll(() => peers.close());

const startTiny = (changed: Record<string, string> = {}) => startProcess(peers.env, changed);

describe('a secret of a service process', () => {
  it('may come from a file, and is in no log line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kontoport-secret-'));
    const file = join(folder, 'edge-secret');
    const secret = peers.env.EDGE_SECRET!;
    writeFileSync(file, `${secret}\n`);
    const service = startTiny({ EDGE_SECRET: '', EDGE_SECRET_FILE: file, LOG_LEVEL: 'trace' });
    await service.line('ready');
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(0);
    expect(JSON.stringify(service.lines) + service.stderr()).not.toContain(secret);

    rmSync(folder, { recursive: true });
    const refused = startTiny({ EDGE_SECRET_FILE: file, GREETING: '' });
    expect(await refused.exit).toBe(1);
    expect(refused.stderr()).toBe(
      [
        'tiny: configuration refused:',
        '  EDGE_SECRET_FILE: EDGE_SECRET is given, too; one of them must go',
        '  GREETING: missing',
        '',
      ].join('\n'),
    );
  });
});

describe('the life of a service process', () => {
  it('prints all faults of its configuration, nothing else, and exits with 1', async () => {
    const service = startTiny({ ENVIRONMENT: 'production', GREETING: '', GRPC_PORT: '' });
    expect(await service.exit).toBe(1);
    expect(service.stderr()).toBe(
      [
        'tiny: configuration refused:',
        '  GRPC_PORT: missing',
        '  GREETING: missing',
        '  ENVIRONMENT: tiny has no adapter "printer" for production',
        '',
      ].join('\n'),
    );
    expect(service.lines).toEqual([]);
  });

  it('logs its addresses, closes in reverse order on SIGTERM and exits with 0', async () => {
    const service = startTiny();
    expect(await service.line('ready')).toMatchObject({
      addresses: { base_url: expect.stringMatching(/^http:/), user_url: expect.stringMatching(/^http:/) },
      grpcPort: expect.any(Number),
      opsPort: expect.any(Number),
    });
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(0);
    expect(service.since('stopping')).toEqual([
      'stopping',
      'closing streams',
      'closing kafka consumers',
      'closing loop',
      'closing producer',
      'closing database',
      'stopped',
    ]);
  });

  it('exports the spans of its drain before it ends', async () => {
    const collector = await startCollector();
    const service = startTiny({
      TRACE_CLOSE: 'database',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    await service.line('ready');
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(0);
    expect(collector.spans().map(({ name }) => name)).toEqual(['closing database']);
    await collector.close();
  });

  it('ends without a collector, too', async () => {
    const collector = await startCollector({ status: 'never' });
    const service = startTiny({ TRACE_CLOSE: 'database', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await service.line('ready');
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(0);
    expect(service.since('closing database')).toEqual(['closing database', 'stopped']);
    await collector.close();
  });

  it('closes the rest when one part cannot be closed', async () => {
    const service = startTiny({ FAIL_CLOSE: 'producer' });
    await service.line('ready');
    service.child.kill('SIGINT');
    expect(await service.exit).toBe(0);
    expect(service.lines).toContainEqual(
      expect.objectContaining({ msg: 'close failed', resource: 'producer' }),
    );
    expect(service.since('close failed')).toEqual(['close failed', 'closing database', 'stopped']);
  });

  it('skips a part that hangs, and closes the rest', async () => {
    const service = startTiny({ HANG_CLOSE: 'kafka consumers', CLOSE_MS: '1000' });
    await service.line('ready');
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(0);
    expect(service.lines).toContainEqual(
      expect.objectContaining({ msg: 'closing took too long', resource: 'kafka consumers' }),
    );
    expect(service.since('closing took too long').slice(1)).toEqual([
      'closing loop',
      'closing producer',
      'closing database',
      'stopped',
    ]);
  });

  it('ends with 1 when closing everything takes too long', async () => {
    const service = startTiny({ HANG_CLOSE: 'kafka consumers,loop', CLOSE_MS: '60000', DRAIN_MS: '50' });
    await service.line('ready');
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(1);
    expect(service.lines.at(-1)).toMatchObject({ msg: 'draining took too long', limitMs: 50 });
  });

  it('finishes the current step of a stopped start, and closes what is open', async () => {
    const service = startTiny({ WAIT_OPEN: 'producer' });
    await service.line('opening producer');
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(0);
    expect(service.since('stopping')).toEqual([
      'stopping',
      'closing producer',
      'closing database',
      'stopped',
    ]);
    expect(service.lines.map(({ msg }) => msg)).not.toContain('ready');
  });

  it('logs the failed step of a start, closes what was open and exits with 1', async () => {
    const service = startTiny({ FAIL_OPEN: 'producer' });
    expect(await service.exit).toBe(1);
    expect(service.lines).toContainEqual(
      expect.objectContaining({ level: 'fatal', msg: 'start failed', resource: 'dependencies' }),
    );
    expect(service.since('start failed')).toEqual([
      'start failed',
      'stopping',
      'closing database',
      'stopped',
    ]);
  });

  it('continues after a failure of a loop, and logs it once', async () => {
    const service = startTiny({ FAIL_LOOP: '1' });
    const { opsPort } = await service.line('ready');
    expect((await fetch(`http://127.0.0.1:${String(opsPort)}/readyz`)).ok).toBe(true);
    expect(service.lines).toContainEqual(
      expect.objectContaining({ level: 'error', msg: 'loop failed, will retry', loop: 'greeting loop' }),
    );
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(0);
  });

  it('logs an unhandled failure, closes and exits with 1', async () => {
    const service = startTiny({ CRASH: '1' });
    await service.line('ready');
    service.child.kill('SIGUSR2');
    expect(await service.exit).toBe(1);
    expect(service.lines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['unhandled rejection', 'closing database', 'stopped']),
    );
  });
});
