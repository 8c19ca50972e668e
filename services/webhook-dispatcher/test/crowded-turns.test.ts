import { until } from '@kontoport/embedded/wait';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { DELIVERIES_PER_POLL } from '../src/events/batching.model.ts';
import { subscribeMany } from './many-queues.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { postingFor, publish } from './running.ts';
import { arrived, openScene, type Scene } from './scene.ts';

const SUBSCRIPTIONS = 100;
/** Deliveries that a step makes. */
const STEP = 1_000;
const ORGANIZATION = 'PSDDK-DFSA-20CAFE';

describe('clients with many subscriptions get many postings (§6, ADR-0034)', () => {
  let scene: Scene;
  let silent: Receiver;

  beforeEach(async () => {
    scene = await openScene();
    silent = await startReceiver(() => {});
    // In the order of the statements; the first one waits as long as somebody holds the lock.
    await scene.parts.pool.query(`
      CREATE TABLE stored (at bigserial, events int NOT NULL, audiences uuid[] NOT NULL);
      CREATE TABLE made (deliveries int NOT NULL);
      CREATE FUNCTION note_events() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(4711);
        INSERT INTO stored (events, audiences)
        SELECT count(DISTINCT id), coalesce(array_agg(DISTINCT client), '{}') FROM fresh CROSS JOIN unnest(audience) AS client;
        RETURN NULL;
      END $$;
      CREATE TRIGGER note AFTER INSERT ON event REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION note_events();
      CREATE FUNCTION note_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO made SELECT count(*) FROM fresh;
        RETURN NULL;
      END $$;
      CREATE TRIGGER note AFTER INSERT ON delivery REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION note_deliveries()`);
  });

  afterEach(async () => {
    await silent.close();
    await scene.close();
  });

  async function greedy(organization: { organizationIdentifier?: string } = {}): Promise<TestTpp> {
    const tpp = await scene.parts.peers.addTpp(organization);
    const callbacks = Array.from({ length: SUBSCRIPTIONS }, (_, i) => `${silent.url}&n=${i}`);
    await subscribeMany(scene.parts, tpp.clientId, callbacks);
    return tpp;
  }

  /**
   * Publishes postings for each of these, and then one for a neighbour in the same partition. All wait behind a first one, so
   * that they are one poll.
   * @returns the client id of the neighbour, once its webhook has arrived
   */
  async function turnFor(tpps: readonly TestTpp[], postings: number): Promise<string> {
    const { parts } = scene;
    const neighbour = await scene.subscriber();
    const gate = await parts.pool.connect();
    await gate.query('SELECT pg_advisory_lock(4711)');
    const accountId = postingFor([]).accountId;
    await publish(parts.producer, [postingFor([tpps[0]!], { accountId })]);
    await until(
      async () =>
        (await parts.pool.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).rowCount,
      { what: 'the first statement to wait' },
    );
    await publish(
      parts.producer,
      tpps.flatMap((tpp) => Array.from({ length: postings }, () => postingFor([tpp], { accountId }))),
    );
    await publish(parts.producer, [postingFor([neighbour.tpp], { accountId })]);
    await gate.query('SELECT pg_advisory_unlock(4711)');
    gate.release();
    await arrived(neighbour.receiver);
    return neighbour.tpp.clientId;
  }

  const stored = async (events: number): Promise<{ events: number; audiences: string[] }[]> =>
    until(
      async () => {
        const { rows } = await scene.parts.pool.query<{ events: number; audiences: string[] }>(
          'SELECT events, audiences::text[] FROM stored ORDER BY at',
        );
        return rows.reduce((sum, row) => sum + row.events, 0) >= events && rows;
      },
      { what: `${events} events to be stored` },
    );

  const deliveriesOf = async (tpps: readonly TestTpp[]): Promise<number> => {
    const { rows } = await scene.parts.pool.query<{ count: number }>(
      `SELECT count(*)::int FROM delivery JOIN subscription ON internal_id = subscription_id WHERE client_id = ANY ($1)`,
      [tpps.map(({ clientId }) => clientId)],
    );
    return rows[0]!.count;
  };

  const largestStatement = async (): Promise<number> =>
    (await scene.parts.pool.query<{ max: number }>('SELECT max(deliveries) FROM made')).rows[0]!.max;

  it('deliveries above the limit of a poll are made later, in steps, each once', async () => {
    const POSTINGS = 30;
    const tpps = [
      await greedy({ organizationIdentifier: ORGANIZATION }),
      await greedy({ organizationIdentifier: ORGANIZATION }),
    ];
    expect(tpps.length * POSTINGS * SUBSCRIPTIONS).toBeGreaterThan(DELIVERIES_PER_POLL);
    const neighbour = await turnFor(tpps, POSTINGS);
    const statements = await stored(2 * POSTINGS + 2);
    // All deferred deliveries cost one more statement, after that of the neighbour.
    expect(statements.map(({ events }) => events)).toEqual([1, 1, 2 * POSTINGS]);
    expect(statements[1]!.audiences).toEqual([neighbour]);
    const all = (2 * POSTINGS + 1) * SUBSCRIPTIONS;
    await until(async () => (await deliveriesOf(tpps)) === all, { what: `${all} deliveries` });
    expect(await largestStatement()).toBe(STEP);
    expect((await scene.parts.pool.query('SELECT FROM deferred_event')).rowCount).toBe(0);
  });
});
