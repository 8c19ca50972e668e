import { until } from '@kontoport/embedded/wait';
import { describeWithApacheKafka } from '@kontoport/testing/describe-with-apache-kafka';
import { openTcpProxy, type TcpProxy } from '@kontoport/testing/tcp-proxy';
import { IN_FLIGHT } from '../src/deliveries/in-flight-limit.model.ts';
import { DEATH_POINTS, type DeathPoint } from './death-points.ts';
import { claimsOf, type Matrix, openMatrix, repeatedOf } from './kill-matrix.ts';

const LANES = 4;
/** `KILL_MATRIX_EVENTS=100000 npm run test:only -- webhook-dispatcher --testPathPatterns kill-matrix` */
const EVENTS = Number(process.env.KILL_MATRIX_EVENTS ?? 5_000);
const ROUNDS = Math.ceil(EVENTS / 20_000);
const LIMIT_MS = 240_000 + 20 * EVENTS;
/** More than a broker writes for itself when it starts. */
const ROOM_BYTES = 64 * 1024;
/** Deliveries of one queue that a process may have sent and not recorded: what it fetches ahead at most. */
const MAX_IN_HAND = 8 * IN_FLIGHT.most;

describeWithApacheKafka(
  'kill -9 at every step, and everything around that stops, with two dispatchers (§6)',
  () => {
    let matrix: Matrix;
    let wire: TcpProxy;
    let stream: { stop(): Promise<void> };
    let interruptions = 0;

    beforeAll(async () => {
      matrix = await openMatrix({ queues: LANES });
      wire = await openTcpProxy({ port: matrix.database.port });
      stream = matrix.stream();
    });

    afterAll(async () => {
      await stream?.stop().catch(() => {});
      await matrix?.close();
      await wire?.close();
    });

    /** Waits until every receiver has the given number of events more than now: everything works again. */
    const flows = async (count = 200): Promise<true> => {
      const before = matrix.receivers.least();
      return until(() => matrix.receivers.least() >= before + count, {
        what: 'events to flow',
        timeout: LIMIT_MS,
      });
    };

    it(
      'a process dies at each step, and another takes its place',
      async () => {
        const points = Array.from({ length: ROUNDS }, () => DEATH_POINTS).flat();
        // The last process to die is alone, and gets everything that it needs to reach its point.
        const dieInTurn = async (): Promise<DeathPoint[]> => {
          const died: DeathPoint[] = [];
          for (let point = points.shift(); point !== undefined; point = points.shift()) {
            const { ended } = matrix.replica(point);
            expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
            interruptions += 1;
            died.push(point);
          }
          return died;
        };
        const died = (await Promise.all([dieInTurn(), dieInTurn()])).flat();
        expect(new Set(died)).toEqual(new Set(DEATH_POINTS));
        expect(died).toHaveLength(ROUNDS * DEATH_POINTS.length);
      },
      LIMIT_MS,
    );

    it(
      'a process cut off from the database loses its queues to the other',
      async () => {
        const url = new URL(matrix.database.url);
        url.host = `127.0.0.1:${wire.port}`;
        matrix.replica(undefined, { DATABASE_URL: url.href });
        await flows();
        const claims = await claimsOf(matrix.pool);
        matrix.replica();
        wire.stall();
        interruptions += 1;
        // Some of them are in the partitions of the one that is not cut off.
        await matrix.tell(100);
        const others = await until(
          async () => {
            const now = await claimsOf(matrix.pool);
            return now.every((claim, at) => claim !== null && claim !== claims[at]) && now;
          },
          { what: 'the other to have all queues', timeout: LIMIT_MS },
        );
        expect(others).toHaveLength(LANES);
        wire.resume();
        expect(await flows()).toBe(true);
      },
      LIMIT_MS,
    );

    it(
      'a process cut off from Kafka loses its partitions, rejoins, and can be stopped',
      async () => {
        const { wire } = matrix.broker;
        const far = matrix.replica(undefined, { KAFKA_BROKERS: `127.0.0.1:${wire.port}` });
        await matrix.alone(far);
        await flows();
        wire.stall();
        const near = matrix.replica();
        await flows();
        wire.resume();
        await near.kill();
        await flows();
        wire.stall();
        const ended = far.terminate();
        matrix.replica();
        interruptions += 6;
        expect(await ended).toEqual({ code: 0, signal: null });
        wire.resume();
        expect(await flows()).toBe(true);
      },
      LIMIT_MS,
    );

    it(
      'PostgreSQL runs out of space and is stopped, and Kafka is killed',
      async () => {
        await matrix.pool.query('CREATE SEQUENCE refusals');
        await matrix.pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM nextval('refusals');
          RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
        END $$`);
        await onTables(
          (table) => `CREATE OR REPLACE TRIGGER full_disk BEFORE INSERT ON ${table}
          FOR EACH ROW EXECUTE FUNCTION refuse()`,
        );
        await until(
          async () => {
            const { rows } = await matrix.pool.query<{ times: number }>(
              'SELECT last_value::int AS times FROM refusals',
            );
            return rows[0]!.times > 2;
          },
          { what: 'the full disk to be noticed', timeout: LIMIT_MS },
        );
        await onTables((table) => `DROP TRIGGER IF EXISTS full_disk ON ${table}`);
        expect(await flows()).toBe(true);

        await matrix.database.stop();
        await matrix.tell(500);
        await matrix.broker.kill();
        await Promise.all([matrix.database.start(), matrix.broker.start()]);
        expect(await flows()).toBe(true);
        interruptions += 3;
      },
      LIMIT_MS,
    );

    it(
      'Kafka runs out of space, stops, and starts with space again',
      async () => {
        await matrix.broker.kill();
        const { ended } = await matrix.broker.startWithRoom(ROOM_BYTES);
        await matrix.fill(ended);
        await matrix.broker.start();
        interruptions += 2;
        expect(await flows()).toBe(true);
      },
      LIMIT_MS,
    );

    it(
      'no event is lost, recorded deliveries are not repeated, and few others are',
      async () => {
        await until(() => matrix.published.size >= EVENTS, { what: 'all events', timeout: LIMIT_MS });
        await stream.stop();
        const { published, receivers, pool } = matrix;
        await until(async () => (await rowsOf('delivery')) === 0 && receivers.least() >= published.size, {
          what: 'all deliveries',
          timeout: LIMIT_MS,
        });
        for (const counted of receivers.counts)
          expect([...published].filter((eventId) => !counted.has(eventId))).toEqual([]);
        const { rows } = await pool.query(
          `SELECT status, jsonb_path_query_array(made, '$[*] ? (@.outcome == "accepted")') ->> 1 AS again,
           count(*)::int FROM delivery_log GROUP BY 1, 2`,
        );
        expect(rows).toEqual([{ status: 'delivered', again: null, count: LANES * published.size }]);
        const { rows: holes } = await pool.query(
          'SELECT topic, partition, taken::text FROM intake WHERE (SELECT count(*) FROM unnest(taken)) <> 1',
        );
        expect(holes).toEqual([]);
        const repeated = repeatedOf(receivers.counts);
        expect(repeated).toBeLessThanOrEqual(interruptions * LANES * MAX_IN_HAND);
        if (process.env.KILL_MATRIX_EVENTS !== undefined)
          process.stdout.write(
            `${published.size} events, ${interruptions} interruptions, ${repeated} of ${LANES * published.size} deliveries sent again\n`,
          );
      },
      LIMIT_MS,
    );

    /** Concurrent writers may hold locks on the tables. */
    async function onTables(statement: (table: string) => string): Promise<void> {
      for (const table of ['event', 'delivery', 'delivery_log'])
        await until(() => matrix.pool.query(statement(table)), { what: `${table} to be changed` });
    }

    async function rowsOf(table: string): Promise<number> {
      const { rows } = await matrix.pool.query<{ count: number }>(`SELECT count(*)::int FROM ${table}`);
      return rows[0]!.count;
    }
  },
  { killable: true },
);
