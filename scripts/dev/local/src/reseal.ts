import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '@kontoport/command';
import { ConfigError } from '@kontoport/config';
import type { SealedTable } from '@kontoport/database';
import { runReseal } from '@kontoport/database/run-reseal';

const SERVICES = join(import.meta.dirname, '../../../../services');

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
