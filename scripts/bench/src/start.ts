import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@kontoport/embedded/wait';
import { testCa, testQwac } from '@kontoport/testing/qwac';
import { type Checkout, checkouts, runCommand, startCommand } from './checkout.ts';
import { childrenCpuSeconds, cpuSeconds, memoryMb, spread } from './figures.ts';

const RUNS = 3;
const INSPECTIONS = 5;
/** After which a stack that nobody calls counts as idle. */
const IDLE_MS = 4_000;
const ANY_PORTS = ['--base-port', '0', '--registration-port', '0', '--auth-port', '0', '--user-port', '0'];

interface Figures {
  firstTour: number[];
  startCpu: number[];
  idle: number[];
  afterTour: number[];
  shared: number[];
  inspect: number[];
}

/** With the command's data in a folder that is gone afterwards. */
async function inFolder<T>(work: (data: string) => Promise<T>): Promise<T> {
  const data = mkdtempSync(join(tmpdir(), 'kontoport-bench-'));
  try {
    return await work(data);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** Seconds from a first start on an empty data folder until the tour has finished and everything is stopped. */
async function firstTour(checkout: Checkout): Promise<number> {
  return inFolder(async (data) => {
    const started = performance.now();
    const status = runCommand(checkout, 'start', '--exit-after-tour', '--data', data, ...ANY_PORTS);
    if (status !== 0) throw new Error(`npm start -- --exit-after-tour ended with ${status}`);
    return (performance.now() - started) / 1_000;
  });
}

const sum = (figures: readonly number[]): number => figures.reduce((total, figure) => total + figure, 0);

/** The five services: what their start takes, and what they hold, idle and after a tour. */
async function services(checkout: Checkout, figures: Figures): Promise<void> {
  await inFolder(async (data) => {
    const child = startCommand(checkout, 'start', '--no-tour', '--data', data, ...ANY_PORTS);
    child.stdout!.resume();
    const ended = once(child, 'exit');
    const file = join(data, 'stack.json');
    const { services: started } = await until(
      () => JSON.parse(readFileSync(file, 'utf8')) as { services: { pid: number }[] },
      { timeout: 120_000, what: 'the stack' },
    );
    await pause(IDLE_MS);
    const pids = started.map(({ pid }) => pid);
    figures.startCpu.push(sum(pids.map(cpuSeconds)));
    figures.idle.push(sum(pids.map((pid) => memoryMb(pid).resident)));
    figures.shared.push(sum(pids.map((pid) => memoryMb(pid).proportional)));
    const status = runCommand(checkout, 'tour', '--stack', file);
    if (status !== 0) throw new Error(`the tour ended with ${status}`);
    figures.afterTour.push(sum(pids.map((pid) => memoryMb(pid).resident)));
    child.kill('SIGINT');
    await ended;
  });
}

/** Processor seconds of one `qwac inspect` of a good certificate. */
function inspect(checkout: Checkout, certificate: string): number {
  const before = childrenCpuSeconds();
  for (let run = 0; run < INSPECTIONS; run++)
    if (runCommand(checkout, 'qwac', 'inspect', certificate) !== 0) throw new Error('qwac inspect failed');
  return (childrenCpuSeconds() - before) / INSPECTIONS;
}

/** `npm start` and `npm run qwac`, of this checkout and, in turn with it, of the one that BENCH_BASELINE names. */
export async function benchStart(): Promise<void> {
  const measured = checkouts().map((checkout) => ({
    checkout,
    figures: { firstTour: [], startCpu: [], idle: [], afterTour: [], shared: [], inspect: [] } as Figures,
  }));
  await inFolder(async (folder) => {
    const issuer = await testCa({ name: 'Bench CA' });
    const tpp = { issuer, organizationName: 'Bench ApS', organizationIdentifier: 'PSDDK-DFSA-1' };
    const certificate = join(folder, 'chain.pem');
    await writeFile(certificate, (await testQwac(tpp)).chainPem);
    for (let run = 0; run < RUNS; run++)
      for (const { checkout, figures } of measured) {
        figures.firstTour.push(await firstTour(checkout));
        await services(checkout, figures);
        figures.inspect.push(inspect(checkout, certificate));
      }
  });
  for (const { checkout, figures } of measured) {
    const line = (title: string, figure: string): void =>
      console.log(`  ${checkout.label.padEnd(checkout.label === '' ? 0 : 8)}${title.padEnd(52)} ${figure}`);
    line('empty data folder → tour finished and all stopped', `${spread(figures.firstTour, 1)} s; goal 20`);
    line('five services, start and 4 s', `${spread(figures.startCpu, 1)} CPU-s; goal 3.5`);
    line('five services, idle', `${spread(figures.idle)} MB resident; goal 570`);
    line('five services, idle, shared pages counted once', `${spread(figures.shared)} MB`);
    line('five services, after the tour', `${spread(figures.afterTour)} MB resident`);
    line('qwac inspect', `${spread(figures.inspect, 2)} CPU-s; goal 0.25`);
  }
}
