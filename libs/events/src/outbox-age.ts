import { observableGauge } from '@kontoport/telemetry';
import type pg from 'pg';
import { SLOTS } from './outbox.ts';

const EVERY_MS = 2_000;

/** The ages of the outboxes of this process's relays. */
const ages = new Set<OutboxAge>();

observableGauge(
  {
    name: 'kontoport.outbox.oldest_age.seconds',
    help: 'Time that the oldest event in the outbox has waited for Kafka; 0 if none waits.',
  },
  (observe) => {
    for (const age of ages) observe(age.milliseconds() / 1_000);
  },
);

/** The age of the oldest row of an outbox. While the database is unavailable it grows with the clock. */
export class OutboxAge {
  readonly #pool: pg.Pool;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** The time of the oldest row, by the monotonic clock. */
  #since: number | undefined;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    ages.add(this);
  }

  milliseconds(): number {
    return this.#since === undefined ? 0 : Math.max(0, performance.now() - this.#since);
  }

  /** Asks the database, unless it was asked a moment ago. */
  async look(): Promise<void> {
    if (performance.now() - this.#lookedAt < EVERY_MS) return;
    this.#lookedAt = performance.now();
    const { rows } = await this.#pool.query<{ milliseconds: number | null }>({
      name: 'outbox-age',
      // One probe of the index for each slot: ids grow with time, and there may be millions of rows.
      text: `SELECT (extract(epoch FROM clock_timestamp() - min(first.created_at)) * 1000)::float8 AS milliseconds
             FROM generate_series(0, ${SLOTS - 1}) AS slot
             CROSS JOIN LATERAL (
               SELECT created_at FROM outbox WHERE outbox.slot = slot.slot ORDER BY id LIMIT 1
             ) AS first`,
    });
    const { milliseconds } = rows[0]!;
    this.#since = milliseconds === null ? undefined : performance.now() - milliseconds;
  }

  /** The outbox is empty. */
  none(): void {
    this.#since = undefined;
  }

  /** Its relay has ended. */
  close(): void {
    ages.delete(this);
  }
}
