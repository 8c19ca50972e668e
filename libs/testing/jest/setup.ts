import { startPostgres } from '@kontoport/embedded/start-postgres';
import { announceServer } from '../src/postgres.ts';
import { running } from './running.ts';

/** Before all tests: one PostgreSQL. */
export default async function setup(): Promise<void> {
  running.postgres = await startPostgres();
  announceServer(running.postgres);
}
