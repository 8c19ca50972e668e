import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@kontoport/embedded/wait';
import { type Figure, median, memoryMb, type Options, ratios } from './harness.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** A stack without requests counts as idle after so long. */
const IDLE_MS = 4_000;
const FREE_PORTS = ['--base-port', '0', '--registration-port', '0', '--auth-port', '0', '--user-port', '0'];

/** Packages that the services load. */
const PACKAGES = [
  'express',
  'pg',
  '@prisma/client/runtime/client',
  'kafkajs',
  '@grpc/grpc-js',
  'jose',
  'pino',
  'zod',
  'undici',
];

/** `npm start`: seconds until it is ready, seconds with the tour on an empty folder, and the memory of the five services. */
export async function benchStart({ rounds }: Options): Promise<Figure[]> {
  const [bare, ready]: [number[], number[]] = [[], []];
  const [tour, idle]: [number[], number[]] = [[], []];
  for (let round = 0; round < Math.min(rounds, 3); round++)
    await inFolder(async (data) => {
      bare.push(await bareSeconds());
      tour.push(await secondsOfTour(data));
      // The folder has data now, as after every first start.
      const stack = await startedStack(data);
      ready.push(stack.seconds);
      await pause(IDLE_MS);
      idle.push(stack.pids.reduce((sum, pid) => sum + memoryMb(pid), 0));
      await stack.stop();
    });
  return [
    { what: 'five bare processes that load the packages', values: bare, unit: 's' },
    {
      what: 'npm start until it is ready, ratio to them',
      values: ratios(ready, bare),
      budget: { atMost: 5 },
    },
    {
      what: 'empty folder to the end of the tour',
      values: tour,
      unit: 's',
      // The tour waits for settlements and webhooks, which a faster machine does not shorten.
      budget: { atMost: Math.max(20, Math.round(13 * median(bare))) },
    },
    { what: 'five services idle, resident', values: idle, decimals: 0, unit: 'MB', budget: { atMost: 750 } },
  ];
}

async function inFolder(work: (data: string) => Promise<void>): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'kontoport-bench-'));
  try {
    await work(data);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** Seconds until five processes of Node side by side have loaded the packages of the services, and nothing of ours. */
async function bareSeconds(): Promise<number> {
  const script = `await Promise.all(${JSON.stringify(PACKAGES)}.map((name) => import(name)))`;
  const started = performance.now();
  const processes = Array.from({ length: 5 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT, stdio: 'inherit' }),
  );
  const codes = await Promise.all(processes.map(async (child) => (await once(child, 'exit')) as [number]));
  if (codes.some(([code]) => code !== 0)) throw new Error('a package of the services cannot be loaded');
  return (performance.now() - started) / 1_000;
}

/** Runs `npm start` as npm does. */
function start(...args: string[]): ChildProcess {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const [, ...words] = scripts.start!.split(' ');
  return spawn(process.execPath, [...words, ...args, ...FREE_PORTS], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function secondsOfTour(data: string): Promise<number> {
  const started = performance.now();
  const [code] = (await once(start('--exit-after-tour', '--data', data), 'exit')) as [number | null];
  if (code !== 0) throw new Error(`npm start -- --exit-after-tour ended with ${code}`);
  return (performance.now() - started) / 1_000;
}

async function startedStack(data: string) {
  const started = performance.now();
  const child = start('--no-tour', '--data', data);
  const ended = once(child, 'exit');
  const { services } = await until(
    () => JSON.parse(readFileSync(join(data, 'stack.json'), 'utf8')) as { services: { pid: number }[] },
    { timeout: 120_000, what: 'the stack' },
  );
  return {
    seconds: (performance.now() - started) / 1_000,
    pids: services.map(({ pid }) => pid),
    async stop() {
      child.kill('SIGINT');
      await ended;
    },
  };
}
