import { type Db, inTransaction, type Tx } from '@kontoport/database';
import type { OutboxEvent, Relay } from '@kontoport/events';

const ATTEMPTS = 3;

/** What follows from what was read. */
export interface Plan<T> {
  result: T;
  /** False where it was overtaken; absent: nothing is to be written. */
  write?: (tx: Tx) => Promise<boolean>;
  /** What is told with it. */
  events?: readonly OutboxEvent[];
}

/** A decision about something that is kept. */
export interface Deciding<Read, T> {
  /** What the caller was handed before. */
  seen?: Read | undefined;
  /** @param reading.hold until the end of the transaction */
  read: (tx: Tx, reading: { hold: boolean }) => Promise<Read>;
  /** Pure. */
  plan: (read: Read) => Plan<T>;
}

/** Where it is kept, and who tells of it. */
interface Keeping {
  db: Pick<Db, 'pool'>;
  relay: Relay;
}

/**
 * Reads, decides and writes what follows, where all is still as it was read. Where it is not, it is read again and held, in a
 * transaction, so that whoever was overtaken once has its turn; a deadlock is tried again, with the same functions.
 */
export async function decide<Read, T>({ db, relay }: Keeping, deciding: Deciding<Read, T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      const done = attempt === 1 ? await atOnce(db, deciding) : await holding(db, deciding);
      if (done?.events?.length) relay.wake();
      if (done) return done.result;
      throw new Overtaken();
    } catch (error) {
      if (!isOvertaken(error) || attempt === ATTEMPTS) throw error;
    }
}

/** Without a transaction, and where the caller has seen it already, without reading; undefined when it was overtaken. */
async function atOnce<Read, T>(
  { pool }: Pick<Db, 'pool'>,
  { seen, read, plan }: Deciding<Read, T>,
): Promise<Plan<T> | undefined> {
  const planned = seen === undefined ? plan(await read(pool, { hold: false })) : attempted(() => plan(seen));
  // Of what was seen only a write proves that it still is so.
  if (planned?.write === undefined) return seen === undefined ? planned : undefined;
  return (await planned.write(pool)) ? planned : undefined;
}

async function holding<Read, T>(
  db: Pick<Db, 'pool'>,
  { read, plan }: Deciding<Read, T>,
): Promise<Plan<T> | undefined> {
  return inTransaction(db, async (tx) => {
    const planned = plan(await read(tx, { hold: true }));
    return planned.write === undefined || (await planned.write(tx)) ? planned : undefined;
  });
}

function attempted<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Another one wrote first. */
class Overtaken extends Error {
  readonly code = '40001';
}

const OVERTAKEN: readonly unknown[] = ['40P01', '40001'];

/** By another one's write, in a deadlock, or by the twin of what initiates. */
function isOvertaken(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  const { code, constraint } = error as { code: unknown; constraint?: unknown };
  return OVERTAKEN.includes(code) || constraint === 'basket_initiation_key';
}
