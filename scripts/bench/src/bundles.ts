import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { until } from '@kontoport/embedded/wait';
import { type Checkout, checkouts, startCommand } from './checkout.ts';
import { cpuSeconds, median, memoryMb, spread } from './figures.ts';

const RUNS = 3;
/** After which a stack that nobody calls counts as idle. */
const IDLE_MS = 4_000;
const ANY_PORTS = ['--base-port', '0', '--registration-port', '0', '--auth-port', '0', '--user-port', '0'];

interface Figures {
  /** Milliseconds of the slowest service from its first to its last step of starting. */
  ready: number[];
  cpu: number[];
  resident: number[];
  proportional: number[];
}

/** Starts the stack, lets it idle, and takes the sums of its five services. */
async function measure(checkout: Checkout, args: readonly string[], figures: Figures): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'kontoport-bench-'));
  try {
    const child = startCommand(checkout, 'start', '--no-tour', '--data', data, ...ANY_PORTS, ...args);
    const ended = once(child, 'exit');
    let said = '';
    child.stdout!.setEncoding('utf8').on('data', (text: string) => (said += text));
    const file = join(data, 'stack.json');
    const { services } = await until(
      () => JSON.parse(readFileSync(file, 'utf8')) as { services: { name: string; pid: number }[] },
      { timeout: 120_000, what: 'the stack' },
    );
    await pause(IDLE_MS);
    const sum = (figure: (pid: number) => number): number =>
      services.reduce((total, { pid }) => total + figure(pid), 0);
    figures.cpu.push(sum(cpuSeconds));
    figures.resident.push(sum((pid) => memoryMb(pid).resident));
    figures.proportional.push(sum((pid) => memoryMb(pid).proportional));
    const seconds = services.map(({ name }) =>
      Number(new RegExp(`✓ ${name} .*?([0-9.]+) s`).exec(said)?.[1]),
    );
    figures.ready.push(Math.max(...seconds));
    child.kill('SIGINT');
    await ended;
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** Of the files of a folder, in MB: as they are, and each compressed by itself. */
function sizeOf(folder: string): { plain: number; compressed: number } {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
  const bytes = files.map((path) => readFileSync(path));
  const total = (lengths: number[]): number => lengths.reduce((sum, length) => sum + length, 0) / 1e6;
  return {
    plain: total(bytes.map(({ length }) => length)),
    compressed: total(bytes.map((content) => gzipSync(content).length)),
  };
}

/** The five services as images hold them, beside the same on their sources, in turn. */
export async function benchBundles(): Promise<void> {
  const [checkout] = checkouts().slice(-1);
  const bundles = mkdtempSync(join(tmpdir(), 'kontoport-bundles-'));
  const empty = (): Figures => ({ ready: [], cpu: [], resident: [], proportional: [] });
  const [sources, bundled] = [empty(), empty()];
  try {
    const made = spawnSync(process.execPath, [join(checkout!.root, 'docker/src/bundle.ts'), bundles], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (made.status !== 0) throw new Error(`docker/src/bundle.ts ended with ${made.status}`);
    for (const name of readdirSync(bundles)) {
      const { plain, compressed } = sizeOf(join(bundles, name));
      console.log(`  ${name.padEnd(24)} ${plain.toFixed(1)} MB, compressed ${compressed.toFixed(1)} MB`);
    }
    for (let run = 0; run < RUNS; run++) {
      await measure(checkout!, [], sources);
      await measure(checkout!, ['--bundles', bundles], bundled);
    }
  } finally {
    rmSync(bundles, { recursive: true, force: true });
  }
  const line = (title: string, of: keyof Figures, unit: string, decimals = 0): void => {
    const ratio = (median(bundled[of]) / median(sources[of])).toFixed(2);
    const [before, now] = [spread(sources[of], decimals), spread(bundled[of], decimals)];
    console.log(`  ${title.padEnd(44)} sources ${before}, bundles ${now} ${unit}: × ${ratio}`);
  };
  line('slowest service until it is ready', 'ready', 's', 1);
  line('five services, start and 4 s', 'cpu', 'CPU-s', 1);
  line('five services, idle', 'resident', 'MB resident');
  line('five services, idle, shared pages once', 'proportional', 'MB');
}
