import { dropRunDatabases } from '../src/postgres.ts';
import { running } from './running.ts';

/** After all tests: nothing of this run stays, in a foreign server either, and nothing of it was open to others. */
export default async function teardown(): Promise<void> {
  const open = running.listeners?.stop() ?? [];
  if (running.postgres !== undefined) {
    await dropRunDatabases(running.postgres);
    await running.postgres.stop();
  }
  if (open.length > 0) throw new Error(`the run was open to the network:\n${open.join('\n')}`);
}
