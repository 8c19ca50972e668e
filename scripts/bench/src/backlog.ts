import { openPool } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import { openBank } from './bench-bank.ts';
import { cpuSeconds, familySeconds, memoryMb, parentOf } from './figures.ts';
import { machineMs } from './receivers.ts';
import { type Receivers, startReceivers, subscribe } from './webhook-parts.ts';

const BACKLOG = Number(process.env.BENCH_BACKLOG ?? 200_000);

/** How many of the cases, in their order. */
const TRIED = Number(process.env.BENCH_CASES ?? 4);

const SLICE = 20_000;

const CASES = [
  { name: 'empty, never analyzed', grown: false, analyzed: false },
  { name: 'empty, analyzed', grown: false, analyzed: true },
  { name: 'grown, never analyzed', grown: true, analyzed: false },
  { name: 'grown, analyzed', grown: true, analyzed: true },
];

interface Drained {
  /** Deliveries per second. */
  rate: number;
  /** From ready to the last. */
  seconds: number;
  /** MB of the dispatcher, at most. */
  memory: number;
  /** Microseconds of processor for each, of the dispatcher and of the database server. */
  dispatcher: number;
  postgres: number;
}

type Bank = Awaited<ReturnType<typeof openBank>>;

/** How fast a backlog is delivered, whatever was in the database before and whenever statistics were taken. */
export async function benchBacklog(): Promise<void> {
  const receivers = await startReceivers();
  const bank = await openBank();
  try {
    const drained: (Drained & { name: string })[] = [];
    for (const { name, ...before } of CASES.slice(0, TRIED)) {
      drained.push({ name, ...(await drain(bank, { receivers, ...before })) });
      // Each takes minutes.
      console.error(`  ${name}: ${drained.at(-1)!.rate.toFixed(0)}/s`);
    }
    const best = Math.max(...drained.map(({ rate }) => rate));
    const least = Math.min(...drained.map(({ dispatcher, postgres }) => dispatcher + postgres));
    for (const { name, rate, seconds, memory, dispatcher, postgres } of drained)
      console.log(
        `  ${name.padEnd(22)} ${rate.toFixed(0)}/s, ${(rate / best).toFixed(2)} of the best; all after ${seconds.toFixed(0)} s, ${memory.toFixed(0)} MB; µs of processor a delivery: dispatcher ${dispatcher.toFixed(0)}, PostgreSQL ${postgres.toFixed(0)}, together ${((dispatcher + postgres) / least).toFixed(2)} of the least`,
      );
  } finally {
    await bank.close();
    receivers.close();
  }
}

async function drain(
  bank: Bank,
  options: { receivers: Receivers; grown: boolean; analyzed: boolean },
): Promise<Drained> {
  const { receivers, grown, analyzed } = options;
  const url = await bank.database('webhook-dispatcher');
  const first = await bank.start('webhook-dispatcher', url);
  for (const port of receivers.ports)
    await subscribe({
      origin: first.origin,
      tpp: await bank.peers.addTpp(),
      callbackUrl: `http://127.0.0.1:${port}/`,
    });
  await first.process.kill();
  const pool = openPool({ url, applicationName: 'bench', max: 1 });
  await pool.query('SET statement_timeout = 0');
  // Statistics come when we say so, and not when the server finds the time.
  for (const table of ['subscription', 'delivery'])
    await pool.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  if (grown) {
    await addDeliveries(pool);
    await inSlices((slice) =>
      pool.query(
        `WITH ended AS (
         DELETE FROM delivery WHERE ctid = ANY (ARRAY(SELECT ctid FROM delivery LIMIT $1)) RETURNING *
       )
       INSERT INTO delivery_log (subscription_id, event_time, event_id, status, attempts, made, finished_at)
       SELECT subscription_id, event_time, event_id, 'delivered', 1,
         '[{"startedAt":"2026-01-01T00:00:00.000Z","milliseconds":1,"outcome":"accepted","httpStatus":204}]', now()
       FROM ended`,
        [slice],
      ),
    );
  }
  if (analyzed) await pool.query('ANALYZE');
  await addDeliveries(pool);
  const server = await serverOf(pool);
  await pool.end();

  await receivers.ask({ reset: true });
  const { process } = await bank.start('webhook-dispatcher', url);
  const used = (): [number, number] => [cpuSeconds(process.pid), familySeconds(server)];
  const [ready, before, had] = [machineMs(), used(), await receivers.count()];
  let memory = 0;
  await until(
    async () => {
      memory = Math.max(memory, memoryMb(process.pid).resident);
      return (await receivers.count()) >= BACKLOG;
    },
    { timeout: 3_600_000, what: `${BACKLOG} deliveries` },
  );
  const { last } = await receivers.ask();
  const [dispatcher, postgres] = used().map(
    (seconds, at) => ((seconds - before[at]!) / (BACKLOG - had)) * 1e6,
  );
  await process.kill();
  const seconds = (last - ready) / 1_000;
  return {
    rate: (BACKLOG - had) / seconds,
    seconds,
    memory,
    dispatcher: dispatcher!,
    postgres: postgres!,
  };
}

/** The process of the database server, whose child our connection is. */
async function serverOf(pool: ReturnType<typeof openPool>): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return parentOf(rows[0]!.pid);
}

/** Deliveries of one event each, spread over all lanes. */
async function addDeliveries(pool: ReturnType<typeof openPool>): Promise<void> {
  await inSlices((slice) =>
    pool.query(
      `WITH fresh AS (
       INSERT INTO event (id, type, time, audience, content)
       SELECT id, 'Posting.CreatedV1', now(), '{}', json_build_object('idempotencyKey', id, 'eventTime', now(),
         'eventType', 'Posting.CreatedV1', 'data', repeat('x', 250))
       FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $1::int)) AS made RETURNING id, time
     ), numbered AS (
       SELECT id, time, row_number() OVER () AS n FROM fresh
     ), lane AS (
       SELECT internal_id, row_number() OVER () - 1 AS n, count(*) OVER () AS lanes FROM subscription
     )
     INSERT INTO delivery (subscription_id, event_id, event_time)
     SELECT lane.internal_id, numbered.id, numbered.time
     FROM numbered JOIN lane ON numbered.n % lane.lanes = lane.n`,
      [slice],
    ),
  );
}

/** A statement has ten seconds. */
async function inSlices(work: (slice: number) => Promise<unknown>): Promise<void> {
  for (let left = BACKLOG; left > 0; left -= SLICE) await work(Math.min(left, SLICE));
}
