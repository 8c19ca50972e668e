import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/** Of many that change one record at once, one wins each time. */
const ATTEMPTS = 20;
const PAUSE_MS = 5;

/** What follows from what was read. */
export interface PlannedWrite<T> {
  result: T;
  /** Writes it in a transaction; absent: there is nothing to write. @throws WriteConflict where another process wrote first */
  write?: () => Promise<void>;
}

/** A decision about something that is kept. */
export interface OptimisticWork<Read, T> {
  /** What the caller was handed before. */
  seen?: Read | undefined;
  read: () => Promise<Read>;
  /** Pure. */
  plan: (read: Read) => PlannedWrite<T>;
}

/**
 * Reads, decides and writes. The write is conditional on the versions that were read: where another process wrote first, and
 * after a deadlock, it begins again. It decides first by what the caller has seen, which spares a read; only a write proves that
 * this is still so, so a refusal and a result without a write are decided again by a read.
 * @throws an error that `isUnavailable` knows, when others win again and again
 */
export async function decide<Read, T>({ seen, read, plan }: OptimisticWork<Read, T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      const isSeen = attempt === 1 && seen !== undefined;
      const planned = isSeen ? attempted(() => plan(seen)) : plan(await read());
      await planned?.write?.();
      if (planned?.write !== undefined || (planned !== undefined && !isSeen)) return planned.result;
    } catch (error) {
      if (!isWriteConflict(error) || attempt === ATTEMPTS) throw error;
      await pause(randomInt(PAUSE_MS * attempt));
    }
}

function attempted<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const RETRYABLE_CODES: readonly unknown[] = ['40P01', '40001'];

/** By another one's write, in a deadlock, or by the twin of what initiates. */
function isWriteConflict(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  const { code, constraint } = error as { code: unknown; constraint?: unknown };
  return RETRYABLE_CODES.includes(code) || constraint === 'basket_initiation_key';
}
