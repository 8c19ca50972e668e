import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TlsOptions } from '@kontoport/runtime';

/** One database and the migrations it gets. */
export interface Deployment {
  url: string;
  /** The folder with `schema.prisma` and `migrations/`. */
  prismaDir: string;
  /** Absent: without TLS. */
  tls?: TlsOptions | undefined;
}

const WORKER = fileURLToPath(new URL('./migrate-worker.ts', import.meta.url));

/**
 * Applies the pending migrations of several databases in one child process, which ends with its work.
 * @throws Error with the database's words when a migration fails
 */
export async function deployMigrations(deployments: readonly Deployment[]): Promise<void> {
  if (deployments.length === 0) return;
  // The connection strings travel over the channel: arguments and environment are readable by others.
  const child = fork(WORKER, { execArgv: ['--disable-warning=ExperimentalWarning'], stdio: 'inherit' });
  const failure = new Promise<string | undefined>((resolve) => {
    child.once('message', (message) => resolve(typeof message === 'string' ? message : undefined));
    child.once('exit', (code) =>
      resolve(code === 0 ? undefined : `the migration process ended with ${code}`),
    );
  });
  const ended = once(child, 'exit');
  child.send(deployments);
  const words = await failure;
  await ended;
  if (words !== undefined) throw new Error(words);
}
