// What an image runs: its service, or with the argument `migrate` the service's migrations.
import { setSourceMapsSupport } from 'node:module';

const USAGE = `usage: docker run IMAGE            runs the service
       docker run IMAGE migrate    applies the service's pending migrations to the database at DATABASE_URL
`;

/**
 * Nothing of the service is loaded before tracing is: what is traced must be hooked first.
 * @param options.prismaDir the folder that has `migrations/`
 */
export async function runImage(options: {
  serve: () => Promise<unknown>;
  prismaDir: string;
  args: readonly string[];
}): Promise<void> {
  const [command, ...rest] = options.args;
  setSourceMapsSupport(true);
  if (command === undefined) {
    await import('@kontoport/runtime/otel');
    await options.serve();
  } else if (command === 'migrate' && rest.length === 0) {
    const { runMigrations } = await import('@kontoport/database/run-migrations');
    try {
      await runMigrations({ env: process.env, prismaDir: options.prismaDir });
    } catch (error) {
      process.stderr.write(`migrate: ${(error as Error).message}\n`);
      process.exitCode = 1;
    }
  } else {
    process.stderr.write(USAGE);
    process.exitCode = 2;
  }
}
