import { dropRunDatabases } from '../src/postgres.ts';
import { running } from './running.ts';

/** Drops the databases of this run, also on a foreign server, and fails if a process listened on the network. */
export default async function teardown(): Promise<void> {
  const open = running.listeners?.stop() ?? [];
  if (running.postgres !== undefined) {
    await dropRunDatabases(running.postgres);
    await running.postgres.stop();
  }
  if (open.length > 0) throw new Error(`the run was open to the network:\n${open.join('\n')}`);
}
