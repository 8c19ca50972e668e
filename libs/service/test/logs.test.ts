import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';

let peers: FakePeers;
const running: ChildProcess[] = [];

beforeAll(async () => {
  peers = await startFakePeers();
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => peers.close());

/** A process of the tiny service whose log goes to `stdout`; resolves when it is ready. */
async function startTiny(stdout: 'pipe' | number, changed: Record<string, string>) {
  const opsPort = await freePort();
  const env = { USER_PORT: '0', GRPC_PORT: '0', GREETING: 'hello', LOG_LEVEL: 'info' };
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'fixtures/main.ts')],
    {
      env: { PATH: process.env.PATH, ...peers.env, ...env, OPS_PORT: String(opsPort), ...changed },
      stdio: ['ignore', stdout, 'ignore'],
    },
  );
  running.push(child);
  const probe = async (path: string): Promise<boolean> =>
    (await fetch(`http://127.0.0.1:${opsPort}${path}`)).ok;
  await until(() => probe('/readyz').catch(() => false), {
    what: 'the service to be ready',
  });
  return { child, probe, exit: once(child, 'exit').then(([code]) => code as number) };
}

describe('a log without a reader', () => {
  it('does not block the service, buffers 1 MiB, and reports dropped lines later', async () => {
    const { child, probe } = await startTiny('pipe', { CHATTY: '1' });
    child.kill('SIGUSR1');
    // No byte of the pipe has been read so far: it is full, and so is the buffer behind it.
    await until(() => probe('/livez'), { what: 'an answer' });
    let bytes = 0;
    const dropped = new Promise<number>((resolve) => {
      createInterface(child.stdout!).on('line', (text) => {
        const line = JSON.parse(text) as { msg: string; dropped: number };
        if (line.msg === 'log lines dropped') resolve(line.dropped);
        else bytes += text.length + 1;
      });
    });
    expect(await dropped).toBeGreaterThan(1_000);
    const MIB = 1 << 20;
    expect(bytes).toBeGreaterThan(0.9 * MIB);
    // The pipe buffers some lines as well.
    expect(bytes).toBeLessThan(1.5 * MIB);
  });

  it('does not prevent the end of the service', async () => {
    const { child, exit } = await startTiny('pipe', { CHATTY: '1' });
    child.kill('SIGUSR1');
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  it('does not end the service when its reader closes', async () => {
    const { child, probe, exit } = await startTiny('pipe', { CHATTY: '1' });
    child.stdout!.destroy();
    child.kill('SIGUSR1');
    await until(() => probe('/livez'), { what: 'an answer' });
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });
});

describe('a log on a disk that is full', () => {
  const startOnFullDisk = async (changed: Record<string, string>) => {
    const full = openSync('/dev/full', 'w');
    try {
      return await startTiny(full, changed);
    } finally {
      closeSync(full);
    }
  };

  it('loses lines, and the service continues', async () => {
    const { child, probe, exit } = await startOnFullDisk({ CHATTY: '1' });
    child.kill('SIGUSR1');
    await until(() => probe('/livez'), { what: 'an answer' });
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  it('does not change the end after an unhandled failure: everything is closed, and the exit code is 1', async () => {
    const { child, exit } = await startOnFullDisk({ CRASH: '1' });
    child.kill('SIGUSR2');
    expect(await exit).toBe(1);
  });
});
