import type pg from 'pg';
import { openerOf, seal, type SealingKeys, unseal } from './sealed-column.ts';
import type { Tx } from './transaction.ts';

/** A row with its sealed values. */
export interface SealedRow {
  /** The values of its primary key, as the database writes them. */
  key: readonly string[];
  sealed: readonly { value: Uint8Array; context: string }[];
  /** Replaces the values, in one statement. @returns false when the row has changed since, or must not be changed now */
  replace(tx: Tx, values: readonly Buffer[]): Promise<boolean>;
}

/** A table in which a service keeps sealed values. */
export interface SealedTable {
  /** A text for the terminal. */
  name: string;
  /** The next rows after a key, in the order of their keys, `limit` at most; none at the end alone. */
  read(tx: Tx, after: readonly string[] | undefined, limit: number): Promise<SealedRow[]>;
}

/** The findings in a table. */
export interface ResealReport {
  name: string;
  rows: number;
  /** Values that are under the first key now, and were not. */
  resealed: number;
  /** Values that are under another key still, because their rows were changed meanwhile or must not be. */
  busy: number;
  /** Values that no key opens. */
  closed: number;
}

const ROWS = 1_000;
/** Passes: one seals, one finds rows that moved meanwhile, and one finds rows that moved during that. */
const ROUNDS = 3;

/** A fault that a person must resolve, as the message states. */
export class ResealError extends Error {}

/**
 * Reseals every value that is not under the first key, row by row, beside readers and writers. Repeats until nothing is
 * left. A killed run can be repeated.
 * @param options.progress called after each table
 * @throws ResealError when no key opens a value, or rows changed again and again
 */
export async function reseal(options: {
  pool: pg.Pool;
  keys: SealingKeys;
  tables: readonly SealedTable[];
  progress: (report: ResealReport) => void;
}): Promise<void> {
  const { pool, keys, tables, progress } = options;
  let busy: ResealReport[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const reports: ResealReport[] = [];
    for (const table of tables) {
      const report = await goOver(pool, { table, keys, change: true });
      reports.push(report);
      if (round === 1 || report.resealed > 0) progress(report);
    }
    const closed = reports.filter((report) => report.closed > 0);
    if (closed.length > 0)
      throw new ResealError(
        `no key of SECRETS_KEY opens ${closed.map((report) => `${report.closed} of ${report.rows} ${report.name}`).join(', ')}; ` +
          'list the key that they are sealed with, too. The others are re-sealed',
      );
    busy = reports.filter((report) => report.resealed + report.busy > 0);
    if (busy.length === 0) return;
  }
  throw new ResealError(
    `${busy.map(({ name }) => name).join(', ')}: some are in use, or sealed with another key again and again. Restart every ` +
      'replica that has not the present SECRETS_KEY; then repeat this, until it says that everything is done',
  );
}

/** Inspects a table without changes. */
export function lookOver(
  pool: Tx,
  { table, keys }: { table: SealedTable; keys: SealingKeys },
): Promise<ResealReport> {
  return goOver(pool, { table, keys, change: false });
}

async function goOver(
  pool: Tx,
  { table, keys, change }: { table: SealedTable; keys: SealingKeys; change: boolean },
): Promise<ResealReport> {
  const report: ResealReport = { name: table.name, rows: 0, resealed: 0, busy: 0, closed: 0 };
  let after: readonly string[] | undefined;
  do {
    const rows = await table.read(pool, after, ROWS);
    for (const row of rows) {
      report.rows += 1;
      const openers = row.sealed.map(({ value, context }) => openerOf(keys, value, context));
      if (openers.includes(undefined)) report.closed += 1;
      else if (change && openers.some((at) => at !== 0))
        report[(await row.replace(pool, row.sealed.map(anew))) ? 'resealed' : 'busy'] += 1;
    }
    after = rows.at(-1)?.key;
  } while (after !== undefined);
  return report;

  function anew({ value, context }: SealedRow['sealed'][number]): Buffer {
    return seal(keys, unseal(keys, value, context), context);
  }
}
