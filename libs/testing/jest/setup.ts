import { join } from 'node:path';
import { prepareTemplates, startPostgres } from '../src/postgres.ts';
import { running } from './running.ts';

/** Before all tests: one PostgreSQL, one migrated template database per service. */
export default async function setup(): Promise<void> {
  running.postgres = await startPostgres();
  await prepareTemplates(running.postgres, join(import.meta.dirname, '../../..'));
}
