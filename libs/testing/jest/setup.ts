import { chooseTestParts } from '@kontoport/embedded/containers';
import { startPostgres } from '@kontoport/embedded/start-postgres';
import { watchListeners } from '../src/listener-watch.ts';
import { canSeeListeners } from '../src/listeners.ts';
import { announceServer } from '../src/postgres.ts';
import { running } from './running.ts';

/** Starts one PostgreSQL before all tests, and watches the listeners of every process. */
export default async function setup(): Promise<void> {
  // `npm test` already chose for all workspaces.
  if (process.env.TEST_CONTAINERS === undefined) console.error(await chooseTestParts());
  if (canSeeListeners()) running.listeners = watchListeners();
  running.postgres = await startPostgres();
  announceServer(running.postgres);
}
