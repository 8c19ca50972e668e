import type { Tx } from '@kontoport/database';
import { roundRobin } from '@kontoport/fairness';
import type { DueClaim } from '../../domain/ports/payment-store.ts';
import { type RecordRow, recordsOf, type RecordTable } from './record-table.ts';

/** A due record and its organization. */
interface Due extends RecordRow {
  organization: string;
}

/**
 * Claims the due records of a table for one process, round robin by organization. Skips rows that another process has locked.
 * SQL (batch).
 */
export class DueRecords<T extends object> {
  readonly #table: RecordTable<T>;
  /** The organization that was served last; the next round begins after it. */
  #last = '';

  constructor(table: RecordTable<T>) {
    this.#table = table;
  }

  /** Claims records and stores each as `begin` returns it. */
  async claim(tx: Tx, claim: DueClaim, begin: (record: T) => T): Promise<T[]> {
    const found = await this.#find(tx, claim);
    const taken = roundRobin(found, { keyOf: ({ organization }) => organization }).slice(0, claim.limit);
    this.#last = taken.at(-1)?.organization ?? '';
    const read = recordsOf<T>(taken);
    return this.#table.writeUnchanged(tx, read, read.map(begin));
  }

  /**
   * Finds the first due records of each organization, up to the limit of one, beginning after the organization served last. If
   * nothing is due, this is one index probe.
   */
  async #find(tx: Tx, claim: DueClaim): Promise<Due[]> {
    const { name } = this.#table;
    // The names are found by stepping through the index from one to the next, however many records each has.
    const turns = (turn: string, [begin, end]: [string, string]): string =>
      `${turn} (organization) AS (
         (SELECT organization FROM ${name}
          WHERE due_at IS NOT NULL AND ${begin} AND ${end} AND (SELECT true FROM ${name} WHERE due_at <= $1 LIMIT 1)
          ORDER BY organization LIMIT 1)
         UNION ALL
         SELECT (SELECT next.organization FROM ${name} AS next
                 WHERE next.due_at IS NOT NULL AND next.organization > ${turn}.organization AND ${end}
                 ORDER BY next.organization LIMIT 1)
         FROM ${turn} WHERE ${turn}.organization IS NOT NULL
       )`;
    const inFlight = [...claim.inFlight.entries()];
    const { rows } = await tx.query<Due>({
      name: `${name}-find-due`,
      text: `WITH RECURSIVE ${turns('turn', ['organization > $2', 'true'])},
               ${turns('again', ["organization > ''", 'organization <= $2'])}
             SELECT turn.organization, due.content, due.version
             FROM (SELECT organization FROM turn UNION ALL SELECT organization FROM again) AS turn
             LEFT JOIN unnest($5::text[], $6::int[]) AS hand (organization, count) USING (organization)
             CROSS JOIN LATERAL (
               SELECT content, version FROM ${name} AS own
               WHERE own.organization = turn.organization AND own.due_at <= $1
               ORDER BY own.due_at LIMIT $3 - coalesce(hand.count, 0)
             ) AS due
             LIMIT $4`,
      values: [
        claim.now,
        this.#last,
        claim.limitPerOrganization,
        claim.limit * claim.limitPerOrganization,
        inFlight.map(([organization]) => organization),
        inFlight.map(([, count]) => Math.min(count, claim.limitPerOrganization)),
      ],
    });
    return rows;
  }
}
