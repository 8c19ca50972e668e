import { keys32, readConfig, secret } from '@kontoport/config';
import { createLogger } from '@kontoport/lifecycle';
import { databaseAccess, databaseConfig } from './database-config.ts';
import { openPool } from './pool.ts';
import { reseal, type SealedTable } from './reseal.ts';

/**
 * Seals everything in the database at DATABASE_URL with the first key of SECRETS_KEY, and prints what was found.
 * @param tables where the service keeps sealed values; none for a service that keeps none
 * @throws ConfigError for wrong variables; ResealError for what is left to do; Error with the database's words
 */
export async function runReseal({
  env,
  tables,
}: {
  env: NodeJS.ProcessEnv;
  tables: readonly SealedTable[];
}): Promise<void> {
  if (tables.length === 0) {
    console.log('this service seals nothing in its database');
    return;
  }
  const config = readConfig({ ...databaseConfig, SECRETS_KEY: secret(keys32) }, env);
  const logger = createLogger({ service: 'reseal', level: 'silent' });
  const pool = openPool({ ...databaseAccess({ config, logger }), max: 1, applicationName: 'reseal' });
  try {
    await reseal({
      pool,
      tables,
      keys: config.SECRETS_KEY,
      progress: ({ name, rows, resealed }) =>
        console.log(`${name}: ${rows} looked at, ${resealed} re-sealed`),
    });
    console.log('everything is sealed with the first key');
  } finally {
    await pool.end();
  }
}
