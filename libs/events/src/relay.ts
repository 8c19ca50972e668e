import { inTransaction } from '@kontoport/database';
import { type Logger, Loop } from '@kontoport/runtime';
import type pg from 'pg';
import { LOCK, SLOTS } from './outbox.ts';
import type { Producer } from './producer.ts';
import type { OutgoingRecord } from './record.ts';

const POLL_MS = 100;
const BATCH_ROWS = 500;
/** A batch may fall into one partition, and brokers take about 1 MB per partition and request. */
const BATCH_BYTES = 600_000;
const RETRY_MS = { first: 200, longest: 5_000 };
const DRAIN_LIMIT_MS = 10_000;

/** Call `wake` after a commit that added events: they leave at once instead of with the next poll (100 ms). */
export type Relay = Pick<Loop, 'wake'>;

interface Row {
  /** Where the row lies in the table. */
  place: string;
  topic: string;
  key: string;
  value: string;
  headers: Record<string, string>;
}

/**
 * The relay of one database: it moves outbox rows to the broker in id order, each key through one relay at a time.
 * Any number of relays may run on one database. Every row arrives at least once: a relay that dies between the
 * broker's acknowledgement and its own commit leaves the rows for another one, which publishes them again.
 * A broker or database that is away is tried again, with growing pauses up to 5 s; nothing is lost meanwhile.
 * Closing publishes what is still there, as far as the broker answers, for at most 10 s.
 */
export function outboxRelay(options: { pool: pg.Pool; producer: Producer; logger: Logger }): Loop {
  return new Loop({
    name: 'outbox relay',
    everyMs: POLL_MS,
    retryMs: RETRY_MS,
    logger: options.logger,
    // Where there was something, there may be more.
    work: async () => ((await publishNext(options)) > 0 ? 0 : POLL_MS),
    async finish() {
      const until = performance.now() + DRAIN_LIMIT_MS;
      while (performance.now() < until && (await publishNext(options)) > 0);
    },
  });
}

/** Publishes the next rows of every slot that no other relay holds; returns how many. */
async function publishNext({ pool, producer }: { pool: pg.Pool; producer: Producer }): Promise<number> {
  return inTransaction(pool, async (tx) => {
    // A subquery of one value is a probe of the index; EXISTS may become a join with all rows.
    const { rows: slots } = await tx.query<{ slot: number }>({
      name: 'outbox-lock',
      text: `SELECT slot::int FROM generate_series(0, ${SLOTS - 1}) AS slot
             WHERE (SELECT true FROM outbox WHERE outbox.slot = slot.slot LIMIT 1)
               AND pg_try_advisory_xact_lock(${LOCK.slot}, slot)`,
    });
    if (slots.length === 0) return 0;
    // The locks must hold while the broker makes us wait.
    await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    // A statement of its own: its snapshot begins after the locks, so it cannot see rows that their last holder
    // published and deleted, and publish old events after new ones.
    const { rows } = await tx.query<Row>({
      name: 'outbox-read',
      text: `SELECT next.* FROM unnest($1::smallint[]) AS mine (slot)
             CROSS JOIN LATERAL (
               SELECT ctid AS place, id, topic, key, value, headers FROM outbox
               WHERE outbox.slot = mine.slot ORDER BY id LIMIT $2
             ) AS next ORDER BY next.id`,
      values: [slots.map(({ slot }) => slot), Math.ceil(BATCH_ROWS / slots.length)],
    });
    const batch = withinBytes(rows);
    await producer.send(batch.map(toRecord));
    await tx.query({
      name: 'outbox-delete',
      // Where they were read: a row is never changed, and a join would leave the planner free to read all of them.
      text: 'DELETE FROM outbox WHERE ctid = ANY ($1::tid[])',
      values: [batch.map(({ place }) => place)],
    });
    return batch.length;
  });
}

/** The longest beginning of the rows that fits; one row always does. */
function withinBytes(rows: readonly Row[]): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, at) => {
    bytes += Buffer.byteLength(row.value) + Buffer.byteLength(row.key) + 512;
    return bytes > BATCH_BYTES && at > 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

function toRecord({ topic, key, value, headers }: Row): OutgoingRecord {
  return { topic, key, value, headers };
}
