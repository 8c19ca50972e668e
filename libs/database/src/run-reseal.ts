import { keys32, readConfig, secret } from '@kontoport/config';
import { createLogger } from '@kontoport/lifecycle';
import { databaseAccess, databaseConfig } from './database-config.ts';
import { openPool } from './pool.ts';
import { reseal, type SealedTable } from './reseal.ts';

/**
 * Reseals all values in the database at DATABASE_URL with the first key of SECRETS_KEY, and prints the findings.
 * @param tables the tables with sealed values; empty for a service without any
 * @throws ConfigError for wrong variables; ResealError for unresolved rows; Error with the database's message
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
