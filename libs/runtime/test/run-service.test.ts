import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

interface Line {
  msg: string;
  [field: string]: unknown;
}

const running: ChildProcess[] = [];

function startFixture(env: Record<string, string>) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'fixtures/service.ts')], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  const lines: Line[] = [];
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const reader = createInterface(child.stdout);
  const line = (msg: string): Promise<Line> =>
    new Promise((resolve, reject) => {
      const seen = lines.find((entry) => entry.msg === msg);
      if (seen) return resolve(seen);
      reader.on('line', (text) => {
        const entry = JSON.parse(text) as Line;
        if (entry.msg === msg) resolve(entry);
      });
      child.once('exit', () => reject(new Error(`ended before "${msg}"`)));
    });
  reader.on('line', (text) => lines.push(JSON.parse(text) as Line));
  const exit = Promise.all([once(child, 'exit'), once(reader, 'close')]).then(([[code]]) => code as number);
  return { child, lines, line, exit, stderr: () => stderr };
}

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

const env = { OPS_PORT: '0', SECRET_ONE: '1', SECRET_TWO: '2' };

describe('the life of a service process', () => {
  it('prints all missing variables at once and exits with 1', async () => {
    const service = startFixture({ OPS_PORT: '0' });
    expect(await service.exit).toBe(1);
    expect(service.stderr()).toContain('SECRET_ONE: missing');
    expect(service.stderr()).toContain('SECRET_TWO: missing');
  });

  it('closes what it opened in reverse order on SIGTERM and exits with 0', async () => {
    const service = startFixture(env);
    await service.line('ready');
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(0);
    const closing = service.lines.map(({ msg }) => msg);
    expect(closing.slice(closing.indexOf('stopping'))).toEqual([
      'stopping',
      'second closed',
      'first closed',
      'stopped',
    ]);
  });

  it('closes the rest when one part cannot be closed', async () => {
    const service = startFixture({ ...env, FAIL_CLOSE: '1' });
    await service.line('ready');
    service.child.kill('SIGINT');
    expect(await service.exit).toBe(0);
    expect(service.lines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['close failed', 'first closed']),
    );
  });

  it('logs an unhandled failure, closes and exits with 1', async () => {
    const service = startFixture({ ...env, CRASH: '1' });
    expect(await service.exit).toBe(1);
    expect(service.lines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['unhandled rejection', 'first closed']),
    );
  });

  it('is live at once, and ready when every part says so; a failing part shows its kind only', async () => {
    const service = startFixture(env);
    const { opsPort } = await service.line('listening');
    const origin = `http://127.0.0.1:${String(opsPort)}`;
    expect((await fetch(`${origin}/livez`)).status).toBe(200);
    const first = await fetch(`${origin}/readyz`);
    expect(first.status).toBe(503);
    expect(await first.json()).toEqual({
      status: 'not ready',
      waiting: { warm: 'warming up', broken: 'TypeError' },
    });
    await fetch(`${origin}/readyz`);
    const third = await fetch(`${origin}/readyz`);
    expect([third.status, await third.json()]).toEqual([200, { status: 'ready' }]);
    expect((await fetch(`${origin}/metrics`)).status).toBe(404);
  });
});
