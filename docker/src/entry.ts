// The program of an image: runs the service, applies its migrations (`migrate`) or reseals its secrets (`reseal`). The image loads
// OpenTelemetry before it, by `node --import`.
import type { SealedTable } from '@kontoport/database';

const USAGE = `usage: docker run IMAGE            runs the service
       docker run IMAGE migrate    applies the service's pending migrations to the database at DATABASE_URL
       docker run IMAGE reseal     reseals all secrets in that database with the first key of SECRETS_KEY
`;

/**
 * Runs the command in the arguments of an image; without one, the service.
 * @param options.prismaDir the folder with `migrations/`
 */
export async function runImage(options: {
  serve: () => Promise<unknown>;
  prismaDir: string;
  /** Tables with sealed columns. */
  sealed: () => Promise<readonly SealedTable[]>;
  args: readonly string[];
}): Promise<void> {
  const [command, ...rest] = options.args;
  if (command === undefined) {
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

/** Runs a command; an error becomes a message and exit code 1. */
async function attempt(command: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${command}: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
