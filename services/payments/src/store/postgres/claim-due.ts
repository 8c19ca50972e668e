import type { Tx } from '@kontoport/database';
import { Tally } from '@kontoport/runtime';
import type { DueClaim } from '../payment-store.ts';
import { fromDocument } from './document.ts';

/** A record that is due, with the organization whose turn it is. */
interface Due<T> {
  organization: string;
  record: T;
}

/**
 * Those of a table whose time has come, round by organization, for claims of one process. Rows that another process holds are
 * passed by; rows that are not taken are free again with the end of the transaction.
 */
export class DueRecords<T extends object> {
  readonly #table: string;
  /** The organization that had the last turn: the next one begins the next round. */
  #last = '';

  constructor(table: 'draft' | 'basket') {
    this.#table = table;
  }

  /** Whether any record is due at all: one look into an index. */
  async any(tx: Tx, now: Date): Promise<boolean> {
    const { rowCount } = await tx.query({
      name: `${this.#table}-any-due`,
      text: `SELECT FROM ${this.#table} WHERE due_at <= $1 LIMIT 1`,
      values: [now],
    });
    return rowCount === 1;
  }

  /** Holds those that the claim may have; the caller writes them, within the same transaction. */
  async take(tx: Tx, claim: DueClaim): Promise<T[]> {
    const from = this.#last;
    const found = await this.#lock(tx, { claim, after: from, upTo: undefined });
    if (found.length < claim.limit) found.push(...(await this.#lock(tx, { claim, after: '', upTo: from })));
    const taken = inTurns(found, claim);
    this.#last = taken.at(-1)?.organization ?? '';
    return taken.map(({ record }) => record);
  }

  /** The first records of each organization of a range, as many of one as a claim may have. */
  async #lock(
    tx: Tx,
    { claim, after, upTo }: { claim: DueClaim; after: string; upTo: string | undefined },
  ): Promise<Due<T>[]> {
    if (upTo === '') return [];
    const { rows } = await tx.query<{ organization: string; document: string }>({
      name: `${this.#table}-take-due`,
      // The names are found by stepping through the index from one to the next, however many records each has.
      text: `WITH RECURSIVE turn (organization) AS (
               (SELECT organization FROM ${this.#table}
                WHERE due_at IS NOT NULL AND organization > $2 ORDER BY organization LIMIT 1)
               UNION ALL
               SELECT (SELECT next.organization FROM ${this.#table} AS next
                       WHERE next.due_at IS NOT NULL AND next.organization > turn.organization
                       ORDER BY next.organization LIMIT 1)
               FROM turn WHERE turn.organization IS NOT NULL
             )
             SELECT turn.organization, due.document FROM turn CROSS JOIN LATERAL (
               SELECT content::text AS document FROM ${this.#table} AS own
               WHERE own.organization = turn.organization AND own.due_at <= $1
               ORDER BY own.due_at LIMIT $4 FOR UPDATE SKIP LOCKED
             ) AS due
             WHERE $3::text IS NULL OR turn.organization <= $3
             LIMIT $5`,
      values: [
        claim.now,
        after,
        upTo ?? null,
        claim.limitOfOrganization,
        claim.limit * claim.limitOfOrganization,
      ],
    });
    return rows.map(({ organization, document }) => ({ organization, record: fromDocument<T>(document) }));
  }
}

/** One of each organization, then a second of each and so on, within the bounds of the claim. */
function inTurns<T>(found: readonly Due<T>[], { limit, limitOfOrganization, inHand }: DueClaim): Due<T>[] {
  const turns = new Tally();
  return found
    .map((due) => {
      turns.add(due.organization, 1);
      return { due, turn: turns.of(due.organization) };
    })
    .filter(({ due, turn }) => inHand.of(due.organization) + turn <= limitOfOrganization)
    .toSorted((a, b) => a.turn - b.turn)
    .slice(0, limit)
    .map(({ due }) => due);
}
