import { counter, durationHistogram, observableGauge } from '@kontoport/telemetry';
import { context } from '@opentelemetry/api';
import pg from 'pg';

const waits = durationHistogram({
  name: 'db.client.connection.wait_time',
  help: 'Time until a request had a connection of the pool.',
});
const failures = counter({
  name: 'kontoport.db.connection.failures',
  help: 'Requests that got no connection: none was free in time, or the database was unreachable.',
});
const open = new Set<MeasuredPool>();

observableGauge({ name: 'db.client.connections', help: 'Connections of the pool, by state.' }, (observe) => {
  for (const pool of pools()) {
    observe(pool.idleCount, { ...pool.labels, 'db.client.connection.state': 'idle' });
    observe(pool.totalCount - pool.idleCount, { ...pool.labels, 'db.client.connection.state': 'used' });
  }
});
observableGauge(
  { name: 'db.client.connection.max', help: 'Maximum number of connections of the pool.' },
  (observe) => {
    for (const pool of pools()) observe(pool.options.max, pool.labels);
  },
);
observableGauge(
  {
    name: 'db.client.connection.pending_requests',
    help: 'Number of requests that wait for a connection of the pool.',
  },
  (observe) => {
    for (const pool of pools()) observe(pool.waitingCount, pool.labels);
  },
);

/** Those that are open; one that was closed is forgotten. */
function pools(): Iterable<MeasuredPool> {
  for (const pool of open) if (pool.ending) open.delete(pool);
  return open;
}

type Connected = Parameters<typeof pg.Pool.prototype.connect>[0];

/** A pool with metrics, under the application name of its connections. */
export class MeasuredPool extends pg.Pool {
  readonly labels: { 'db.client.connection.pool.name': string };

  /** @param config.application_name of the pool, one of few */
  constructor(config: pg.PoolConfig & { application_name: string }) {
    super(config);
    this.labels = { 'db.client.connection.pool.name': config.application_name };
    open.add(this);
    // A rate sees no count that begins with 1.
    failures.add(0, this.labels);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: NonNullable<Connected>): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | void {
    const started = performance.now();
    const measure = (error: unknown): void => {
      if (error) failures.add(1, this.labels);
      else waits.since(started, this.labels);
    };
    // The driver's own queries come this way, too.
    if (callback !== undefined) {
      // The pool calls it from the request that gives a connection back.
      const told = context.bind(context.active(), callback);
      return super.connect((error, client, done) => {
        measure(error);
        told(error, client, done);
      });
    }
    const connecting = super.connect();
    connecting.then(() => measure(undefined), measure);
    return connecting;
  }
}
