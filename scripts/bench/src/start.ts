import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@kontoport/embedded/wait';
import { memoryMb, spread } from './figures.ts';

const RUNS = 3;
const START = join(import.meta.dirname, '../../local/src/main.ts');
const ANY_PORTS = ['--base-port', '0', '--registration-port', '0', '--auth-port', '0', '--user-port', '0'];

/** First start on an empty data folder until the tour has finished and everything is stopped; memory of the services. */
export async function benchStart(): Promise<void> {
  const seconds: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const data = mkdtempSync(join(tmpdir(), 'kontoport-bench-'));
    const started = performance.now();
    const child = spawn(process.execPath, [START, '--exit-after-tour', '--data', data, ...ANY_PORTS], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = (await once(child, 'exit')) as [number];
    seconds.push((performance.now() - started) / 1_000);
    rmSync(data, { recursive: true, force: true });
    if (code !== 0) throw new Error(`npm start -- --exit-after-tour ended with ${code}`);
  }
  console.log(`  empty data folder → tour finished and all stopped  ${spread(seconds, 1)} s; goal 20`);
  await memoryOfServices();
}

async function memoryOfServices(): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'kontoport-bench-'));
  const child = spawn(process.execPath, [START, '--data', data, ...ANY_PORTS], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const { services } = await until(
    () =>
      JSON.parse(readFileSync(join(data, 'stack.json'), 'utf8')) as {
        services: { name: string; pid: number }[];
      },
    { timeout: 60_000, what: 'the stack' },
  );
  await until(() => /Ctrl-C/.test(output), { timeout: 60_000, what: 'the end of the tour' });
  let [resident, proportional] = [0, 0];
  for (const { name, pid } of services) {
    const memory = memoryMb(pid);
    resident += memory.resident;
    proportional += memory.proportional;
    console.log(`  ${name.padEnd(20)} ${memory.resident.toFixed(0)} MB resident`);
  }
  console.log(
    `  five services        ${resident.toFixed(0)} MB resident, ${proportional.toFixed(0)} MB with shared pages counted once`,
  );
  child.kill('SIGINT');
  await ended;
  rmSync(data, { recursive: true, force: true });
}
