import type { ClientDirectory } from '@kontoport/client-directory';
import type { Logger, Loop } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { settleDue } from './settle-due.ts';
import { noteDeletedClients, sweepClients } from './sweep-clients.ts';

/** The background work of simulated accounts; the sandbox's routes exist only with it. */
export interface Simulation {
  loops: readonly Loop[];
  /** Searches for due transactions now. */
  wake(): void;
}

/** Creates the simulation of the sandbox (ADR-0023). */
export function createSimulation(deps: {
  db: Db;
  ledger: Ledger;
  directory: Pick<ClientDirectory, 'onDeleted'>;
  logger: Logger;
}): Simulation {
  const due = settleDue(deps);
  return { loops: [due, noteDeletedClients(deps), sweepClients(deps)], wake: () => due.wake() };
}
