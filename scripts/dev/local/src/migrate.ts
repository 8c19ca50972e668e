import { join } from 'node:path';
import { InputError } from '@kontoport/command';
import { ConfigError } from '@kontoport/config';
import { runMigrations } from '@kontoport/database/run-migrations';

const SERVICES = join(import.meta.dirname, '../../../../services');

/** Applies pending migrations. @throws InputError for wrong variables; Error with the database's message */
export async function migrate(service: string, env: NodeJS.ProcessEnv): Promise<number> {
  try {
    await runMigrations({ env, prismaDir: join(SERVICES, service, 'prisma') });
    return 0;
  } catch (error) {
    throw error instanceof ConfigError ? new InputError(error.message) : error;
  }
}
