import type { ClientDirectory } from '@kontoport/client-directory';
import type { Logger, Loop } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { settleDue } from './settle-due.ts';
import { noteDeletedClients, sweepCopies } from './sweep-copies.ts';

/** What drives simulated accounts; where it stands, clients may drive theirs. */
export interface Simulation {
  loops: readonly Loop[];
  /** Says that something may have become due. */
  wake(): void;
}

/** The simulation of the sandbox (ADR-0023). */
export function createSimulation(deps: {
  db: Db;
  ledger: Ledger;
  directory: Pick<ClientDirectory, 'onDeleted'>;
  logger: Logger;
}): Simulation {
  const due = settleDue(deps);
  return { loops: [due, noteDeletedClients(deps), sweepCopies(deps)], wake: () => due.wake() };
}
