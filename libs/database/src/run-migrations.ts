import { readConfig } from '@kontoport/config';
import { createLogger } from '@kontoport/lifecycle';
import { databaseAccess, databaseConfig } from './database-config.ts';
import { deployMigrations } from './deploy-migrations.ts';

/**
 * Applies the pending migrations to the database at DATABASE_URL, and prints their names.
 * @throws ConfigError for wrong variables; Error with the database's message
 */
export async function runMigrations({
  env,
  prismaDir,
}: {
  env: NodeJS.ProcessEnv;
  /** The folder that has `migrations/`. */
  prismaDir: string;
}): Promise<void> {
  const config = readConfig(databaseConfig, env);
  const logger = createLogger({ service: 'migrate', level: 'silent' });
  const { url, tls } = databaseAccess({ config, logger });
  const deployment = { url: url(), tls: tls?.(), prismaDir };
  const { applied, unknown } = await deployMigrations(deployment).catch((error: unknown) => {
    // An unreachable database is no wrong usage.
    throw new Error(error instanceof Error ? error.message : String(error), { cause: error });
  });
  for (const name of applied) console.log(name);
  if (applied.length === 0) console.log('nothing is pending');
  if (unknown.length > 0)
    console.error(`A newer version has applied: ${unknown.join(', ')}. It is left as it is.`);
}
