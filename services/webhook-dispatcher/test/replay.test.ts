import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { until } from '@kontoport/embedded/wait';
import { accept, type Answer } from './receiver.ts';
import {
  ago,
  begun,
  completed,
  endedOf,
  keysOf,
  MINUTE,
  replay,
  standing,
  storeEvents,
  type WireReplay,
} from './replays.ts';
import { postingFor, publish } from './running.ts';
import { arrived, openScene, type Scene, type Subscriber } from './scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openScene({ WEBHOOK_RETRY_SCHEDULE: '0s,1h' });
});
afterAll(() => scene.close());

describe('POST /v1/webhook-subscriptions/{id}/replay (§4.6)', () => {
  it('sends the events of the range again, without its end, with the same bodies', async () => {
    const subscriber = await scene.subscriber();
    await scene.parts.pool.query(
      "UPDATE subscription SET created_at = now() - interval '1 day' WHERE internal_id = $1",
      [subscriber.subscription.internalId],
    );
    const postings = [5, 4, 3, 2, 1].map((i) => postingFor([subscriber.tpp], { eventTime: ago(i * MINUTE) }));
    await publish(scene.parts.producer, postings);
    await endedOf(scene, subscriber, 5);
    const first = new Map(subscriber.receiver.received.map(({ body, raw }) => [body.idempotencyKey, raw]));
    const [from, to] = [postings[1]!.eventTime, postings[3]!.eventTime];
    const asked = await begun(subscriber, { from, to });
    expect(asked).toMatchObject({ from, to, events: 0, deliveries: 0 });
    const done = await completed(subscriber, asked);
    expect(done).toMatchObject({
      replayId: asked.replayId,
      events: 2,
      deliveries: 2,
      startedAt: asked.startedAt,
    });
    expect(Date.parse(done.finishedAt!)).toBeGreaterThanOrEqual(Date.parse(done.startedAt));
    await arrived(subscriber.receiver, 7);
    await endedOf(scene, subscriber, 5);
    const again = subscriber.receiver.received.slice(5);
    expect(new Set(again.map(({ body }) => body.idempotencyKey))).toEqual(
      new Set(postings.slice(1, 3).map(({ eventId }) => eventId)),
    );
    for (const { body, raw } of again) expect(raw).toEqual(first.get(body.idempotencyKey));
    const log = await subscriber.client.ask('GET', `/${subscriber.subscription.id}/deliveries`);
    expect(log.body).toMatchObject({
      deliveries: [1, 1, 2, 2, 1].map((attempts) => ({ status: 'delivered', attempts })),
    });
  });

  it('sends the subscribed types that the client may receive, also from before the subscription', async () => {
    const subscriber = await scene.subscriber();
    const stranger = await scene.parts.peers.addTpp();
    const own = await storeEvents(scene, subscriber.tpp, { count: 3 });
    await storeEvents(scene, stranger, { count: 3 });
    await storeEvents(scene, subscriber.tpp, { type: 'Consent.RevokedV1', count: 3 });
    const done = await completed(subscriber, await begun(subscriber));
    expect(done).toMatchObject({ events: 3, deliveries: 3 });
    await endedOf(scene, subscriber, 3);
    expect(new Set(keysOf(subscriber))).toEqual(new Set(own));
  });

  it('walks more events than one step, in steps', async () => {
    const subscriber = await scene.subscriber();
    const own = await storeEvents(scene, subscriber.tpp, { count: 300, apart: '10 milliseconds' });
    await storeEvents(scene, await scene.parts.peers.addTpp(), { count: 2_500, apart: '1 millisecond' });
    const done = await completed(subscriber, await begun(subscriber, { from: ago(10 * MINUTE) }));
    expect(done).toMatchObject({ events: 300, deliveries: 300 });
    await endedOf(scene, subscriber, 300);
    expect(keysOf(subscriber).toSorted()).toEqual(own.toSorted());
  });

  it('leaves pending deliveries unchanged, and stops at 100 attempts of a delivery', async () => {
    const subscriber = await scene.subscriber();
    const { internalId } = subscriber.subscription;
    const [pending, often, once] = await storeEvents(scene, subscriber.tpp, { count: 3 });
    await scene.parts.pool.query(
      `INSERT INTO delivery (subscription_id, event_id, event_time, due_at, attempts, made)
       SELECT $1, id, time, now() + interval '1 hour', 1, '[{}]' FROM event WHERE id = $2`,
      [internalId, pending],
    );
    await scene.parts.pool.query(
      `INSERT INTO delivery_log (subscription_id, event_time, event_id, status, attempts, made, finished_at)
       SELECT $1, time, id, 'exhausted', CASE id WHEN $2 THEN 100 ELSE 99 END, '[]', now() FROM event
       WHERE id IN ($2, $3)`,
      [internalId, often, once],
    );
    const done = await completed(subscriber, await begun(subscriber));
    expect(done).toMatchObject({ events: 2, deliveries: 1 });
    await scene.settled(subscriber.subscription, 'delivered');
    expect(keysOf(subscriber)).toEqual([once]);
    expect(await scene.deliveriesOf(subscriber.subscription)).toMatchObject([
      { status: 'pending', attempts: [{}] },
      { status: 'exhausted' },
      { status: 'delivered' },
    ]);
  });

  it('is 409 while one runs, also for a concurrent request, but not after it', async () => {
    const held: ServerResponse[] = [];
    const subscriber = await scene.subscriber((response) => void held.push(response));
    await storeEvents(scene, subscriber.tpp, { count: 65 });
    const answers = await Promise.all([1, 2, 3].map(() => replay(subscriber)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
    const asked = answers.find(({ status }) => status === 202)!.body as WireReplay;
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({
      errorCode: 'STATUS_INVALID',
      message: 'A replay of this subscription is running; another may begin when it is completed.',
    });
    await arrived(subscriber.receiver, 1);
    expect((await replay(subscriber)).status).toBe(409);
    subscriber.receiver.answer = accept;
    for (const response of held) response.end();
    await completed(subscriber, asked);
    expect((await replay(subscriber)).status).toBe(202);
  });

  it('is 409 while the subscription is paused, and 403 without the role of an event type', async () => {
    const pisp = await scene.subscriber(accept, { roles: ['PSP_PI'], eventTypes: ['Consent.RevokedV1'] });
    const change = (set: string) =>
      scene.parts.pool.query(`UPDATE subscription SET ${set} WHERE internal_id = $1`, [
        pisp.subscription.internalId,
      ]);
    await change("event_types = '{Consent.RevokedV1,Posting.CreatedV1}'");
    expect(await replay(pisp)).toMatchObject({
      status: 403,
      body: { errorCode: 'SCOPE_INSUFFICIENT', details: [{ path: 'eventTypes.1' }] },
    });
    await change(
      "event_types = '{Consent.RevokedV1}', status = 'PAUSED', paused_at = now(), paused_reason = 'GONE'",
    );
    expect(await replay(pisp)).toMatchObject({
      status: 409,
      body: { message: 'The subscription is paused: nothing is sent until it is resumed.' },
    });
    const { rows } = await scene.parts.pool.query('SELECT FROM replay WHERE subscription_id = $1', [
      pisp.subscription.internalId,
    ]);
    expect(rows).toEqual([]);
  });

  it('sends no event whose role the client lost during the replay', async () => {
    const subscriber = await scene.subscriber(accept, {
      roles: ['PSP_PI'],
      eventTypes: ['Consent.RevokedV1'],
    });
    await storeEvents(scene, subscriber.tpp, { count: 2 });
    const [revoked] = await storeEvents(scene, subscriber.tpp, { type: 'Consent.RevokedV1' });
    const { internalId } = subscriber.subscription;
    const { rows } = await scene.parts.pool.query<{ id: string }>(
      `WITH both_types AS (
         UPDATE subscription SET event_types = '{Consent.RevokedV1,Posting.CreatedV1}' WHERE internal_id = $2
       )
       INSERT INTO replay (id, subscription_id, client_id, cause, phase, from_time, to_time)
       VALUES ($1, $2, $3, 'ASKED', 'TIME', now() - interval '1 hour', now()) RETURNING id`,
      [randomUUID(), internalId, subscriber.tpp.clientId],
    );
    await until(async () => (await standing(subscriber, rows[0]!.id)).status === 'COMPLETED', {
      what: 'the replay to complete',
    });
    expect(await standing(subscriber, rows[0]!.id)).toMatchObject({ events: 1, deliveries: 1 });
    await endedOf(scene, subscriber, 1);
    expect(keysOf(subscriber)).toEqual([revoked]);
  });

  const DAY = 24 * 60 * MINUTE;

  it.each([
    ['without beginning', () => ({}), 'from'],
    ['whose beginning is no instant', () => ({ from: 'yesterday' }), 'from'],
    ['of more than 7 days', () => ({ from: ago(8 * DAY), to: ago(DAY - 1) }), 'to'],
    ['with an unknown field', () => ({ from: ago(MINUTE), eventTypes: [] }), 'eventTypes'],
  ])('refuses a range %s', async (_what, body, path) => {
    const subscriber = await scene.subscriber();
    expect(await replay(subscriber, body())).toMatchObject({
      status: 400,
      body: { errorCode: 'FORMAT_ERROR', details: [{ path }] },
    });
  });
});

describe("another client's replays, and another subscription's (§4.6)", () => {
  it.each(['replay', 'test', 'resume'])(
    'POST /{id}/%s of a stranger looks like an unknown one',
    async (what) => {
      const [subscriber, stranger] = [await scene.subscriber(), await scene.subscriber()];
      const ask = (who: Subscriber, id: string) =>
        who.client.ask('POST', `/${id}/${what}`, what === 'replay' ? { from: ago(MINUTE) } : undefined);
      const unknown = await ask(stranger, 'never-made');
      expect(unknown).toMatchObject({ status: 404, body: { errorCode: 'RESOURCE_UNKNOWN' } });
      expect(await ask(stranger, subscriber.subscription.id)).toEqual(unknown);
      await subscriber.client.ask('DELETE', `/${subscriber.subscription.id}`);
      expect(await ask(subscriber, subscriber.subscription.id)).toEqual(unknown);
    },
  );

  it('GET /{id}/replays/{replayId} of a stranger looks like an unknown one, and is deleted with the subscription', async () => {
    const [subscriber, stranger] = [await scene.subscriber(), await scene.subscriber()];
    const { replayId } = await completed(subscriber, await begun(subscriber));
    const read = (who: Subscriber, id: string, which: string) =>
      who.client.ask('GET', `/${id}/replays/${which}`);
    const unknown = await read(subscriber, subscriber.subscription.id, randomUUID());
    expect(unknown).toMatchObject({ status: 404, body: { errorCode: 'RESOURCE_UNKNOWN' } });
    expect(await read(stranger, subscriber.subscription.id, replayId)).toEqual(unknown);
    expect(await read(stranger, stranger.subscription.id, replayId)).toEqual(unknown);
    expect(await read(subscriber, subscriber.subscription.id, 'x'.repeat(300))).toEqual(unknown);
    const rows = async (): Promise<unknown> =>
      (await scene.parts.pool.query('SELECT FROM replay WHERE id = $1', [replayId])).rowCount;
    expect(await rows()).toBe(1);
    await subscriber.client.ask('DELETE', `/${subscriber.subscription.id}`);
    expect(await rows()).toBe(0);
  });
});

describe('limits of the replays of a client (§4.6)', () => {
  /** Stores replays with this status, of this subscription or of others of the client. */
  const store = (
    subscriber: Subscriber,
    options: { count: number; status: string; startedAgo: string; own: boolean },
  ) =>
    scene.parts.pool.query(
      `INSERT INTO replay (id, subscription_id, client_id, cause, phase, status, from_time, to_time, started_at, finished_at, step_at)
       SELECT gen_random_uuid(), CASE WHEN $5 THEN $1::uuid ELSE gen_random_uuid() END, $2, 'ASKED', 'TIME', $3, now(), now(),
         now() - $4::interval, CASE WHEN $3 = 'COMPLETED' THEN now() END, 'infinity'
       FROM generate_series(1, $6::int)`,
      [
        subscriber.subscription.internalId,
        subscriber.tpp.clientId,
        options.status,
        options.startedAgo,
        options.own,
        options.count,
      ],
    );

  it.each([
    [9, 202],
    [10, 409],
  ])('while %i run another is %i', async (count, status) => {
    const subscriber = await scene.subscriber();
    await store(subscriber, { count, status: 'RUNNING', startedAgo: '2 hours', own: false });
    expect((await replay(subscriber)).status).toBe(status);
  });

  it.each([
    [19, '59 minutes', 202],
    [20, '59 minutes', 429],
    [20, '61 minutes', 202],
  ])('after %i of a subscription that began %s ago another is %i', async (count, startedAgo, status) => {
    const subscriber = await scene.subscriber();
    await store(subscriber, { count, status: 'COMPLETED', startedAgo, own: true });
    const { tpp, subscription } = subscriber;
    const answer = await fetch(`${scene.service.origin}/v1/webhook-subscriptions/${subscription.id}/replay`, {
      method: 'POST',
      headers: { ...(await tpp.headers()), 'content-type': 'application/json' },
      body: JSON.stringify({ from: ago(MINUTE) }),
    });
    const seconds = answer.headers.get('retry-after');
    expect([answer.status, seconds !== null]).toEqual([status, status === 429]);
    expect(Number(seconds ?? 1)).toBeGreaterThanOrEqual(1);
    expect(Number(seconds ?? 1)).toBeLessThanOrEqual(60);
  });

  it('do not count replays after a pause', async () => {
    const subscriber = await scene.subscriber();
    const { client, subscription } = subscriber;
    await store(subscriber, { count: 20, status: 'COMPLETED', startedAgo: '30 minutes', own: true });
    await scene.parts.pool.query(
      "UPDATE subscription SET status = 'PAUSED', paused_at = now(), paused_reason = 'GONE' WHERE internal_id = $1",
      [subscription.internalId],
    );
    const { body } = await client.ask('POST', `/${subscription.id}/resume`);
    await completed(subscriber, body as { replayId: string });
    expect((await replay(subscriber)).status).toBe(429);
  });

  it('keep the last 20 of a subscription', async () => {
    const subscriber = await scene.subscriber();
    await store(subscriber, { count: 30, status: 'COMPLETED', startedAgo: '2 hours', own: true });
    const asked = await begun(subscriber);
    await completed(subscriber, asked);
    const { rows } = await scene.parts.pool.query<{ id: string }>(
      'SELECT id FROM replay WHERE subscription_id = $1',
      [subscriber.subscription.internalId],
    );
    expect(rows).toHaveLength(20);
    expect(rows.map(({ id }) => id)).toContain(asked.replayId);
  });
});

describe('new events go before a replay (§4.6)', () => {
  it('a subscription with a thousand pending deliveries gets no more', async () => {
    const subscriber = await scene.subscriber();
    const { internalId } = subscriber.subscription;
    await storeEvents(scene, subscriber.tpp, { count: 1_010, apart: '10 milliseconds' });
    await scene.parts.pool.query(
      `INSERT INTO delivery (subscription_id, event_id, event_time, due_at)
       SELECT $1, id, time, now() + interval '1 hour' FROM event WHERE audience = ARRAY[$2::uuid]
       ORDER BY time LIMIT 999`,
      [internalId, subscriber.tpp.clientId],
    );
    subscriber.receiver.answer = (response) => void response.writeHead(500).end();
    await scene.parts.pool.query(
      `UPDATE subscription SET retry_at = now() + interval '1 hour' WHERE internal_id = $1`,
      [internalId],
    );
    const asked = await begun(subscriber, { from: ago(2 * MINUTE) });
    const count = async (): Promise<number> => (await scene.deliveriesOf(subscriber.subscription)).length;
    await until(async () => (await count()) === 1_000, { what: 'the last one that there is room for' });
    // So many steps more, and none has made another.
    const steppedAt = async (): Promise<string> => {
      const { rows } = await scene.parts.pool.query<{ at: string }>(
        'SELECT stepped_at::text AS at FROM replay WHERE id = $1',
        [asked.replayId],
      );
      return rows[0]!.at;
    };
    for (let steps = 0; steps < 3; steps += 1) {
      const before = await steppedAt();
      await until(async () => (await steppedAt()) !== before, { what: 'another step' });
    }
    expect(await count()).toBe(1_000);
    expect((await standing(subscriber, asked.replayId)).status).toBe('RUNNING');
    await subscriber.client.ask('DELETE', `/${subscriber.subscription.id}`);
  });

  it('of 100,000 events few are due at a time, so that no new event waits for the rest', async () => {
    const held: ServerResponse[] = [];
    const hold: Answer = (response) => void held.push(response);
    const hog = await scene.subscriber(hold);
    const neighbour = await scene.subscriber();
    const { internalId } = hog.subscription;
    await storeEvents(scene, hog.tpp, { count: 100_000, apart: '5 milliseconds' });
    const asked = await begun(hog);
    const made = async (condition = ''): Promise<number> => {
      const { rowCount } = await scene.parts.pool.query(
        `SELECT FROM delivery WHERE subscription_id = $1 ${condition}`,
        [internalId],
      );
      return rowCount!;
    };
    await arrived(hog.receiver, 16);
    await until(async () => (await made()) >= 64, { what: 'as many to be due as may be' });
    expect(await made('AND due_at <= now()')).toBeLessThanOrEqual(64);

    // Nothing of the hog's ends meanwhile, so its replay is far from its end.
    await publish(scene.parts.producer, [postingFor([neighbour.tpp])]);
    await arrived(neighbour.receiver);
    expect(await standing(hog, asked.replayId)).toMatchObject({ status: 'RUNNING' });

    const fresh = postingFor([hog.tpp]);
    await publish(scene.parts.producer, [fresh]);
    await until(async () => (await made(`AND event_id = '${fresh.eventId}'`)) === 1, {
      what: 'the fresh event to be recorded',
    });
    const before = await made();
    expect(before).toBeLessThanOrEqual(1_000 + 1);
    hog.receiver.answer = accept;
    for (const response of held) response.end();
    await until(() => keysOf(hog).includes(fresh.eventId), { what: 'the fresh event' });
    // Behind what was made before it, and beside what may be in flight with it.
    expect([...new Set(keysOf(hog))].indexOf(fresh.eventId)).toBeLessThan(before + 64);
    await hog.client.ask('DELETE', `/${hog.subscription.id}`);
  });
});
