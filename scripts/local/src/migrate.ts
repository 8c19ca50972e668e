import { join } from 'node:path';
import { InputError } from '@kontoport/command';
import { databaseAccess, databaseConfig, deployMigrations } from '@kontoport/database';
import { ConfigError, createLogger, readConfig } from '@kontoport/runtime';

const SERVICES = join(import.meta.dirname, '../../../services');

/** Applies what is pending. @throws InputError for wrong variables; Error with the database's words */
export async function migrate({
  operands,
  env,
}: {
  operands: readonly string[];
  env: NodeJS.ProcessEnv;
}): Promise<number> {
  const service = operands[0]!;
  const { url, tls } = accessOf(env);
  const deployment = { url: url(), tls: tls?.(), prismaDir: join(SERVICES, service, 'prisma') };
  const { applied, unknown } = await deployMigrations(deployment).catch((error: unknown) => {
    // Also where nobody listens: that is the database's state, and no wrong usage.
    throw new Error(error instanceof Error ? error.message : String(error), { cause: error });
  });
  for (const name of applied) console.log(name);
  if (applied.length === 0) console.log('nothing is pending');
  if (unknown.length > 0)
    console.error(`A newer version has applied: ${unknown.join(', ')}. It is left as it is.`);
  return 0;
}

function accessOf(env: NodeJS.ProcessEnv): ReturnType<typeof databaseAccess> {
  try {
    const config = readConfig(databaseConfig, env);
    return databaseAccess({ config, logger: createLogger({ service: 'migrate', level: 'silent' }) });
  } catch (error) {
    throw error instanceof ConfigError ? new InputError(error.message) : error;
  }
}
