import type { Tx } from '@kontoport/database';
import { paymentOf } from '../src/domain/draft.model.ts';
import type { Bank } from '../src/domain/ports/bank.ts';

/** Where a process that settles may die. */
export const DEATH_POINTS = ['after claim', 'after post', 'within write', 'after write'] as const;

export type DeathPoint = (typeof DEATH_POINTS)[number];

/** The books of `bankIn`: one row for each payment, and how often each was submitted. */
export const BOOKS = `CREATE TABLE books (payment_id uuid PRIMARY KEY, submitted int NOT NULL)`;

/** A bank that books in a table, whoever asks: what it has booked outlives the process. */
export function bankIn(db: { pool: Tx }): Bank {
  return {
    async submit({ draft }) {
      await db.pool.query(
        `INSERT INTO books VALUES ($1, 1) ON CONFLICT (payment_id) DO UPDATE SET submitted = books.submitted + 1`,
        [paymentOf(draft).paymentId],
      );
      return 'booked';
    },
    cancel: () => Promise.reject(new Error('nothing is cancelled here')),
  };
}
