import { until } from '@kontoport/embedded/wait';
import { DELIVERIES_AT_ONCE } from '../src/events/parts.model.ts';
import { subscribeMany } from './many-lanes.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { postingFor, publish } from './running.ts';
import { arrived, openScene, type Scene } from './scene.ts';

const SUBSCRIPTIONS = 100;
const POSTINGS = 150;

describe('a client with many subscriptions gets many postings (§6, ADR 24)', () => {
  let scene: Scene;
  let silent: Receiver;

  beforeAll(async () => {
    scene = await openScene();
    silent = await startReceiver(() => {});
  });

  afterAll(async () => {
    await silent.close();
    await scene.close();
  });

  it('no statement makes more deliveries than its share, and who gets little comes first', async () => {
    const { parts } = scene;
    const neighbour = await scene.subscriber();
    const greedy = await parts.peers.addTpp();
    const callbacks = Array.from({ length: SUBSCRIPTIONS }, (_, i) => `${silent.url}&n=${i}`);
    await subscribeMany(parts, greedy.clientId, callbacks);
    // In the order of the statements; the first one waits until all is published.
    await parts.pool.query(`
      CREATE TABLE stored (at bigserial, events int NOT NULL, little int NOT NULL);
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(4711);
        INSERT INTO stored (events, little)
        SELECT count(*), count(*) FILTER (WHERE audience @> '{${neighbour.tpp.clientId}}'::uuid[]) FROM fresh;
        RETURN NULL;
      END $$;
      CREATE TRIGGER note AFTER INSERT ON event REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION note()`);
    const gate = await parts.pool.connect();
    await gate.query('SELECT pg_advisory_lock(4711)');
    const accountId = postingFor([]).accountId;
    await publish(parts.producer, [postingFor([greedy], { accountId })]);
    await until(
      async () =>
        (await parts.pool.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).rowCount,
      { what: 'the first statement to wait' },
    );
    await publish(
      parts.producer,
      Array.from({ length: POSTINGS }, () => postingFor([greedy], { accountId })),
    );
    // In the same partition, behind all the others.
    await publish(parts.producer, [postingFor([neighbour.tpp], { accountId })]);
    await gate.query('SELECT pg_advisory_unlock(4711)');
    gate.release();
    await arrived(neighbour.receiver);
    const stored = await until(
      async () => {
        const { rows } = await parts.pool.query<{ events: number; little: number }>(
          'SELECT events, little FROM stored ORDER BY at',
        );
        return rows.reduce((sum, { events }) => sum + events, 0) >= POSTINGS + 2 && rows;
      },
      { what: 'all events to be stored' },
    );
    const most = DELIVERIES_AT_ONCE / SUBSCRIPTIONS;
    expect(Math.max(...stored.map(({ events, little }) => events - little))).toBeLessThanOrEqual(most);
    expect(stored.length).toBeLessThanOrEqual(2 + Math.ceil(POSTINGS / most));
    // The one that was waited with, and the first of the turn.
    expect(stored.findIndex(({ little }) => little > 0)).toBe(1);
    const { rows } = await parts.pool.query<{ count: number }>(
      `SELECT count(*)::int FROM delivery JOIN subscription ON internal_id = subscription_id WHERE client_id = $1`,
      [greedy.clientId],
    );
    expect(rows).toEqual([{ count: (POSTINGS + 1) * SUBSCRIPTIONS }]);
  });
});
