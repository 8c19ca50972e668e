import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError, shown } from '@kontoport/command';
import { ConfigError } from '@kontoport/config';
import type { SealedTable } from '@kontoport/database';
import { runReseal } from '@kontoport/database/run-reseal';
import { readSecrets } from './secrets.ts';
import type { ServiceName } from './services.ts';
import { type StackFile, stackFilePath } from './stack-file.ts';

const SERVICES = join(import.meta.dirname, '../../../../services');

/** The variables of a service of the stack that runs on a data folder. @throws InputError without a stack or database */
export function localEnvironment(service: ServiceName, data: string): NodeJS.ProcessEnv {
  const file = stackFilePath(data);
  if (!existsSync(file)) throw new InputError(`no stack runs on ${shown(data)}. npm start starts one.`);
  const { databases } = JSON.parse(readFileSync(file, 'utf8')) as StackFile;
  const url = databases?.[service];
  if (url === undefined)
    throw new InputError(
      `the stack on ${shown(data)} has no embedded database of ${service}: set DATABASE_URL`,
    );
  return { DATABASE_URL: url, SECRETS_KEY: readSecrets(join(data, 'secrets.json')).secretsKey };
}

/** Encrypts everything with the newest key. @throws InputError for wrong variables; Error with the rest, or the database's message */
export async function reseal(service: string, env: NodeJS.ProcessEnv): Promise<number> {
  try {
    await runReseal({ env, tables: await tablesOf(service) });
    return 0;
  } catch (error) {
    throw error instanceof ConfigError ? new InputError(error.message) : error;
  }
}

/** Returns the tables with sealed columns. Only services that have some export them. */
async function tablesOf(service: string): Promise<readonly SealedTable[]> {
  const path = join(SERVICES, service, 'src/sealed-tables.ts');
  if (!existsSync(path)) return [];
  return ((await import(path)) as { SEALED_TABLES: readonly SealedTable[] }).SEALED_TABLES;
}
