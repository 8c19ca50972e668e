import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Tx } from '@kontoport/database';

/** Each attempt holds its locks; only a deadlock, or a twin that takes a new id, ends one. */
const ATTEMPTS = 10;
const PAUSE_MS = 5;

/** A transaction of the store. */
export interface Transaction {
  tx: Tx;
  onCommit: (() => void)[];
  onRollback: (() => void)[];
}

/** Runs `work` in a transaction. */
export type Transact = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;

/** The decision about the records that were read. */
export interface Plan<T> {
  result: T;
  /** Absent: there is nothing to write. @throws WriteConflict when another process took the id of a new record */
  write?: (transaction: Transaction) => Promise<void>;
}

/** A decision about stored records. */
interface Decision<Read, T> {
  /** Reads the records and locks them until the end of the transaction. */
  lock: (tx: Tx) => Promise<Read>;
  /** Pure; may be called again. */
  plan: (read: Read) => Plan<T>;
}

/**
 * Locks records, decides and writes, so that any number of callers take turns. Repeats that after a conflict.
 * @throws what `plan` throws; the last conflict after 10 attempts, which `isUnavailable` knows
 */
export async function decideLocked<Read, T>(
  transact: Transact,
  { lock, plan }: Decision<Read, T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await transact(async (transaction) => {
        const { result, write } = plan(await lock(transaction.tx));
        await write?.(transaction);
        return result;
      });
    } catch (error) {
      if (!isWriteConflict(error) || attempt === ATTEMPTS) throw error;
      await pause(randomInt(PAUSE_MS * attempt));
    }
}

/** SQLSTATE of a deadlock and of a serialization failure. */
const RETRYABLE_CODES: readonly unknown[] = ['40P01', '40001'];

/** Whether another write came first: a changed record, a deadlock, or a twin with the same X-Request-Id. */
export function isWriteConflict(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  const { code, constraint } = error as { code: unknown; constraint?: unknown };
  return RETRYABLE_CODES.includes(code) || constraint === 'basket_initiation_key';
}
