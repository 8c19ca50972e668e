import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const PROGRAM = join(import.meta.dirname, '../../../scripts/programs/kontoport/kontoport.mjs');

/** The exit status and output of a command. */
export interface Said {
  status: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs `kontoport …` in a process.
 * @param options.env replaces the environment of this process
 * @param options.input its standard input
 */
export async function kontoport(
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; input?: string | Uint8Array } = {},
): Promise<Said> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: options.env ?? process.env });
  child.stdin.on('error', () => {}).end(options.input ?? '');
  const [[status], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { status, stdout, stderr };
}
