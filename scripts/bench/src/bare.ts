import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { postgresPid } from './bank.ts';
import { cpuSeconds, familySeconds } from './harness.ts';

/**
 * Runs a bare loop of this folder: the cost of the same work on this machine without our services.
 * It gets `args`, and sends a message when it is warm and when it is done.
 * @returns units of work a processor second of the loop and PostgreSQL
 */
export async function bareRate(options: {
  file: string;
  args: readonly string[];
  /** URL of the loop's database. */
  url: string;
  units: number;
}): Promise<number> {
  const { file, args, url, units } = options;
  const loop = fork(join(import.meta.dirname, file), [String(units), url, ...args]);
  await once(loop, 'message');
  const server = await postgresPid(url);
  const used = (): number => cpuSeconds(loop.pid!) + familySeconds(server);
  const before = used();
  loop.send('go');
  await once(loop, 'message');
  const seconds = used() - before;
  loop.kill();
  return units / seconds;
}
