// What an image runs: its service, with the argument `migrate` the service's migrations, with `reseal` its sealing anew.
import type { SealedTable } from '@kontoport/database';

const USAGE = `usage: docker run IMAGE            runs the service
       docker run IMAGE migrate    applies the service's pending migrations to the database at DATABASE_URL
       docker run IMAGE reseal     seals everything in that database with the first key of SECRETS_KEY
`;

/**
 * Tracing is loaded before anything of the service: what is recorded, and where to, is decided once.
 * @param options.prismaDir the folder that has `migrations/`
 */
export async function runImage(options: {
  serve: () => Promise<unknown>;
  prismaDir: string;
  /** Where the service keeps what is sealed. */
  sealed: () => Promise<readonly SealedTable[]>;
  args: readonly string[];
}): Promise<void> {
  const [command, ...rest] = options.args;
  if (command === undefined) {
    await import('@kontoport/telemetry/otel');
    await options.serve();
  } else if (command === 'migrate' && rest.length === 0) {
    await attempt(command, async () => {
      const { runMigrations } = await import('@kontoport/database/run-migrations');
      await runMigrations({ env: process.env, prismaDir: options.prismaDir });
    });
  } else if (command === 'reseal' && rest.length === 0) {
    await attempt(command, async () => {
      const { runReseal } = await import('@kontoport/database/run-reseal');
      await runReseal({ env: process.env, tables: await options.sealed() });
    });
  } else {
    process.stderr.write(USAGE);
    process.exitCode = 2;
  }
}

/** What fails is told in its own words. */
async function attempt(command: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${command}: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
