import { chooseTestParts } from '@kontoport/embedded/containers';
import { startPostgres } from '@kontoport/embedded/start-postgres';
import { watchListeners } from '../src/listener-watch.ts';
import { canSeeListeners } from '../src/listeners.ts';
import { announceServer } from '../src/postgres.ts';
import { running } from './running.ts';

/** Before all tests: one PostgreSQL, and a watch over what every process of the run opens. */
export default async function setup(): Promise<void> {
  // `npm test` has chosen for all workspaces.
  if (process.env.TEST_CONTAINERS === undefined) console.error(await chooseTestParts());
  if (canSeeListeners()) running.listeners = watchListeners();
  running.postgres = await startPostgres();
  announceServer(running.postgres);
}
