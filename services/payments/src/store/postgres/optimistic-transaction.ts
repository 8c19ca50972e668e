import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Tx } from '@kontoport/database';

/** After a conflict each attempt holds its locks; only a deadlock, or a twin that takes a new id, ends one. */
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
  /** Absent: there is nothing to write. @throws WriteConflict when another process has changed a record */
  write?: (transaction: Transaction) => Promise<void>;
}

/** A decision about stored records. */
export interface OptimisticWork<Read, T> {
  /** Records that the store returned to the caller before; they save the first read. */
  seen?: Read | undefined;
  read: () => Promise<Read>;
  /** Reads the same and locks it until the end of the transaction. */
  lock: (tx: Tx) => Promise<Read>;
  /** Pure; may be called again. */
  plan: (read: Read) => Plan<T>;
}

/**
 * Reads, decides and writes, if no record has changed since. After a conflict or a deadlock it locks the records: then
 * any number of callers take turns.
 * @throws what `plan` throws; the last conflict after 10 attempts, which `isUnavailable` knows
 */
export async function optimisticTransaction<Read, T>(
  transact: Transact,
  work: OptimisticWork<Read, T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await (attempt === 1 ? withoutLocks(transact, work) : withLocks(transact, work));
    } catch (error) {
      if (!isWriteConflict(error) || attempt === ATTEMPTS) throw error;
      await pause(randomInt(PAUSE_MS * attempt));
    }
}

async function withoutLocks<Read, T>(
  transact: Transact,
  { seen, read, plan }: OptimisticWork<Read, T>,
): Promise<T> {
  // Only a write proves that `seen` is current: a refusal, or a result without a write, needs a read.
  const bySeen = seen === undefined ? undefined : attempted(() => plan(seen));
  const { result, write } = bySeen?.write === undefined ? plan(await read()) : bySeen;
  if (write !== undefined) await transact(write);
  return result;
}

function withLocks<Read, T>(transact: Transact, { lock, plan }: OptimisticWork<Read, T>): Promise<T> {
  return transact(async (transaction) => {
    const { result, write } = plan(await lock(transaction.tx));
    await write?.(transaction);
    return result;
  });
}

function attempted<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
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
