import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A checkout of this project whose commands are measured: this one, or an older one to compare with. */
export interface Checkout {
  label: string;
  root: string;
}

/** This checkout, and the one that BENCH_BASELINE names (a folder with its packages installed and code generated). */
export function checkouts(): Checkout[] {
  const baseline = process.env.BENCH_BASELINE;
  return [
    ...(baseline ? [{ label: 'before', root: baseline }] : []),
    { label: baseline ? 'now' : '', root: join(import.meta.dirname, '../../..') },
  ];
}

/** What npm would run for `script` (`start`, `tour`, `qwac`), without npm. */
function commandOf({ root }: Checkout, script: string, args: readonly string[]): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const [node, ...words] = scripts[script]!.split(' ');
  if (node !== 'node') throw new Error(`${root}: the script ${script} is not run by node`);
  return [...words, ...args];
}

/** Starts a command of a checkout in the background; its output can be read. */
export function startCommand(checkout: Checkout, script: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, commandOf(checkout, script, args), {
    cwd: checkout.root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Runs a command of a checkout to its end; its exit status. */
export function runCommand(checkout: Checkout, script: string, ...args: string[]): number | null {
  return spawnSync(process.execPath, commandOf(checkout, script, args), {
    cwd: checkout.root,
    stdio: ['ignore', 'ignore', 'inherit'],
  }).status;
}
