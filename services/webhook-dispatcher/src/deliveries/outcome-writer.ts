import { setTimeout as pause } from 'node:timers/promises';
import { describeError, type Logger } from '@kontoport/lifecycle';
import type { OutcomeToRecord } from './delivery.model.ts';

const BATCH = 500;
/** A statement costs as much as several outcomes; what a crash in between leaves unwritten is sent twice. */
const GATHER_MS = 40;
const RETRY_MS = 250;

/** Writes outcomes in batches, one batch at a time: while one is written, the next gathers. */
export interface OutcomeWriter {
  add(outcome: OutcomeToRecord): void;
  /** Writes what is left, once. Outcomes that the database refuses are lost, and their deliveries are sent again. */
  close(): Promise<void>;
}

/** @param options.onWritten called for each outcome; `taken` is false when its claim was lost */
export function createOutcomeWriter(options: {
  record: (outcomes: readonly OutcomeToRecord[]) => Promise<Set<OutcomeToRecord>>;
  onWritten: (outcome: OutcomeToRecord, taken: boolean) => void;
  logger: Logger;
}): OutcomeWriter {
  const { record, onWritten, logger } = options;
  let waiting: OutcomeToRecord[] = [];
  let writing: Promise<void> | undefined;
  let closing = false;

  const writeBatch = async (batch: readonly OutcomeToRecord[]): Promise<void> => {
    for (;;) {
      try {
        const taken = await record(batch);
        for (const outcome of batch) onWritten(outcome, taken.has(outcome));
        return;
      } catch (error) {
        logger.warn({ error: describeError(error), outcomes: batch.length }, 'outcomes not written yet');
        if (closing) return;
        await pause(RETRY_MS);
      }
    }
  };

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      if (waiting.length < BATCH && !closing) await pause(GATHER_MS);
      const batch = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      await writeBatch(batch);
    }
    writing = undefined;
  };

  return {
    add(outcome) {
      waiting.push(outcome);
      writing ??= writeAll();
    },
    async close() {
      closing = true;
      await writing;
    },
  };
}
