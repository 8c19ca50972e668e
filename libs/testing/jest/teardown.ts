import { dropRunDatabases } from '../src/postgres.ts';
import { running } from './running.ts';

/** After all tests: nothing of this run stays, in a foreign server either. */
export default async function teardown(): Promise<void> {
  if (running.postgres === undefined) return;
  await dropRunDatabases(running.postgres);
  await running.postgres.stop();
}
