import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction, listParameter, type Statement } from '@kontoport/database';
import { describeError, type Logger, Loop } from '@kontoport/lifecycle';
import { endSpanAfter, parseTraceparent, tracer } from '@kontoport/telemetry';
import { type Link, ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import type pg from 'pg';
import { sentMessages } from './event-metrics.ts';
import { OutboxAge } from './outbox-age.ts';
import { LOCK, SLOTS } from './outbox.ts';
import type { Producer } from './producer.ts';
import type { OutgoingRecord } from './record.ts';
import { nextPollDelay, relayBackoff } from './relay-backoff.ts';
import { abortable } from './timeouts.ts';

const POLL_MS = 100;
const BATCH_ROWS = 500;
/** A batch may belong to one partition, and brokers accept about 1 MB per partition and request. */
const BATCH_BYTES = 600_000;
const RETRY_MS = { first: 200, longest: 5_000 };
const DRAIN_LIMIT_MS = 10_000;

/** Call `wake` after a commit that added events: they are sent at once instead of with the next poll (100 ms). */
export type Relay = Pick<Loop, 'wake'>;

interface Row {
  /** The place of the row (`ctid`). */
  place: string;
  topic: string;
  key: string;
  value: string;
  headers: Record<string, string>;
}

interface Options {
  pool: pg.Pool;
  producer: Producer;
  logger: Logger;
  /** Milliseconds between polls; default: 100. */
  pollMs?: number;
  /** Most milliseconds of the drain at shutdown; default: 10,000. */
  drainMs?: number;
}

/**
 * Starts a relay: it moves outbox rows to the broker in id order. Any number of relays may run on one database; each key goes
 * through one of them at a time. Every row arrives at least once: if a relay dies between the acknowledgement of the broker and its
 * own commit, another one publishes the rows again. After an error of the broker or the database it retries with a backoff up to
 * 5 s. A failing topic holds back no other. Closing publishes what is left, for at most 10 s.
 */
export function outboxRelay(options: Options): Loop {
  return new OutboxRelay(options);
}

class OutboxRelay extends Loop {
  /** Rows were added in this process. */
  #told = false;
  readonly #drainMs: number;
  /** Aborted at the end of the drain. */
  readonly #givingUp: AbortController;

  constructor(options: Options) {
    const { pollMs = POLL_MS, drainMs = DRAIN_LIMIT_MS } = options;
    const givingUp = new AbortController();
    const failing = new FailingTopics(options.logger, givingUp.signal);
    const age = new OutboxAge(options.pool);
    let notBefore = 0;
    super({
      name: 'outbox relay',
      everyMs: pollMs,
      retryMs: RETRY_MS,
      logger: options.logger,
      work: async (closing) => {
        const wait = notBefore - performance.now();
        if (wait > 0) await pause(wait, undefined, { signal: closing }).catch(() => {});
        await age.look();
        const began = performance.now();
        const isExpected = this.#told;
        this.#told = false;
        if (!isExpected && !(await isAny(options))) {
          age.none();
          return pollMs;
        }
        const { sent, readingMs } = await publishNext(options, failing);
        const ended = performance.now();
        const hasFailingTopics = failing.resting.length > 0;
        notBefore = ended + relayBackoff({ sent, tookMs: ended - began, readingMs, hasFailingTopics });
        return nextPollDelay(sent, pollMs);
      },
      async finish() {
        age.close();
        while (!givingUp.signal.aborted && (await publishNext(options, failing)).sent > 0);
      },
    });
    this.#drainMs = drainMs;
    this.#givingUp = givingUp;
  }

  override wake(): void {
    this.#told = true;
    super.wake();
  }

  override async close(): Promise<void> {
    const limit = setTimeout(() => this.#givingUp.abort(), this.#drainMs);
    await super.close();
    clearTimeout(limit);
  }
}

/** Topics that accept no records, such as one that does not exist. */
class FailingTopics {
  /** Once it is aborted, the relay does not wait for the broker; unsent rows stay. */
  readonly givingUp: AbortSignal;
  readonly #logger: Logger;
  /** The time of the next attempt for each, and the pause after it. */
  readonly #topics = new Map<string, { at: number; restMs: number }>();

  constructor(logger: Logger, givingUp: AbortSignal) {
    this.#logger = logger;
    this.givingUp = givingUp;
  }

  has(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /** Topics that are not yet tried again. */
  get resting(): string[] {
    const now = performance.now();
    return [...this.#topics].filter(([, { at }]) => at > now).map(([topic]) => topic);
  }

  begin(topic: string, error: unknown): void {
    const known = this.#topics.get(topic);
    // Only the first failure is logged.
    if (known === undefined)
      this.#logger.warn(
        { topic, error: describeError(error) },
        'Kafka accepts no events of the topic; they wait',
      );
    const restMs = known === undefined ? RETRY_MS.first : Math.min(2 * known.restMs, RETRY_MS.longest);
    this.#topics.set(topic, { at: performance.now() + restMs, restMs });
  }

  end(topic: string): void {
    if (this.#topics.delete(topic)) this.#logger.info({ topic }, 'Kafka accepts events of the topic again');
  }
}

/** Whether there are rows. This poll costs less than a transaction, and mostly there are none. */
async function isAny({ pool }: Options): Promise<boolean> {
  const { rowCount } = await pool.query({ name: 'outbox-any', text: 'SELECT FROM outbox LIMIT 1' });
  return rowCount !== 0;
}

/**
 * Locks the slots that have rows and that no other relay has locked. A subquery of one value is a probe of the index; EXISTS may
 * become a join with all rows. It reads the newest row, because the index still has many deleted rows before the oldest one. The
 * transaction has no timeout, because it waits for the broker. Its commit is asynchronous: if PostgreSQL crashes and loses it, the
 * rows are published again.
 */
const LOCK_SLOTS = {
  name: 'outbox-lock',
  text: `SELECT array_agg(slot) AS slots,
           set_config('idle_in_transaction_session_timeout', '0', true),
           set_config('synchronous_commit', 'off', true)
         FROM generate_series(0, ${SLOTS - 1}) AS slot
         WHERE (SELECT true FROM outbox WHERE outbox.slot = slot.slot ORDER BY id DESC LIMIT 1)
           AND pg_try_advisory_xact_lock(${LOCK.slot}, slot)`,
};

/**
 * Reads the next rows of locked slots, the same number of each. It is a statement of its own: its snapshot begins after the
 * locks, so it cannot see rows that the previous holder published and deleted, and publish old events after new ones.
 */
const readNext = (slots: readonly number[], without: readonly string[]): Statement => ({
  name: 'outbox-read',
  text: `SELECT next.* FROM unnest(${listParameter(1, 'smallint')}) AS mine (slot)
         CROSS JOIN LATERAL (
           SELECT ctid AS place, id, topic, key, value, headers FROM outbox
           WHERE outbox.slot = mine.slot AND topic <> ALL (${listParameter(2, 'text')}) ORDER BY id LIMIT $3
         ) AS next ORDER BY next.id`,
  values: [slots, without, Math.ceil(BATCH_ROWS / slots.length)],
});

/** Publishes the next rows of every slot that no other relay holds; returns how many, and how long it took to read them. */
function publishNext(
  { pool, producer }: Options,
  failing: FailingTopics,
): Promise<{ sent: number; readingMs: number }> {
  return inTransaction(pool, async (tx) => {
    const began = performance.now();
    const { rows: locked } = await tx.query<{ slots: number[] | null }>(LOCK_SLOTS);
    const { slots } = locked[0]!;
    if (slots === null) return { sent: 0, readingMs: performance.now() - began };
    const { rows } = await tx.query<Row>(readNext(slots, failing.resting));
    const readingMs = performance.now() - began;
    const next = withinBytes(rows);
    const sent = next.length === 0 ? [] : await inSpan(next, () => send(producer, next, failing));
    if (sent.length > 0)
      await tx.query({
        name: 'outbox-delete',
        // By `ctid`: a row never changes, and a join would leave the planner free to read all rows.
        text: `DELETE FROM outbox WHERE ctid = ANY (${listParameter(1, 'tid')})`,
        values: [sent.map(({ place }) => place)],
      });
    for (const [topic, own] of Map.groupBy(sent, (row) => row.topic)) sentMessages(topic, own.length);
    return { sent: sent.length, readingMs };
  });
}

/** Runs `work`, which sends rows, in a span of its own, linked to the spans in which their events were created. */
function inSpan<T>(rows: readonly Row[], work: () => Promise<T>): Promise<T> {
  const links = rows.flatMap(({ headers }): Link[] => {
    const creation = parseTraceparent(headers.traceparent);
    return creation === undefined ? [] : [{ context: creation }];
  });
  const attributes = {
    'messaging.system': 'kafka',
    'messaging.operation.name': 'send',
    'messaging.operation.type': 'send',
    'messaging.batch.message_count': rows.length,
  };
  const options = { kind: SpanKind.CLIENT, root: true, attributes, links };
  return tracer.startActiveSpan('send outbox', options, ROOT_CONTEXT, (span) => endSpanAfter(span, work));
}

/** Sends rows, those of a failing topic separately. @returns the rows that were accepted */
async function send(
  producer: Producer,
  rows: readonly Row[],
  failing: FailingTopics,
): Promise<readonly Row[]> {
  const sound = rows.filter(({ topic }) => !failing.has(topic));
  const failure = await attempt(producer, sound, { failFast: false, until: failing.givingUp });
  if (failure === undefined && sound.length === rows.length) return rows;
  // Each topic is tried alone, to find the failing one.
  const isOneOfSeveral = failure !== undefined && sound.some(({ topic }) => topic !== sound[0]!.topic);
  const sent: Row[] = [];
  for (const [topic, own] of Map.groupBy(rows, (row) => row.topic)) {
    const isAlone = failing.has(topic) || isOneOfSeveral;
    const error = isAlone
      ? await attempt(producer, own, { failFast: true, until: failing.givingUp })
      : failure;
    if (error === undefined) {
      sent.push(...own);
      failing.end(topic);
    } else failing.begin(topic, error);
  }
  return sent;
}

/** Sends rows. @returns the error, if there is one */
async function attempt(
  producer: Producer,
  rows: readonly Row[],
  { failFast, until }: { failFast: boolean; until: AbortSignal },
): Promise<unknown> {
  if (rows.length === 0) return undefined;
  try {
    await abortable(until, () => producer.send(rows.map(toRecord), { failFast }));
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Returns as many of the first rows as fit into one batch, at least one. */
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
