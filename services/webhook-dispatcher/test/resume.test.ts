import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { inTransaction } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import { MIN_FAILURES } from '../src/deliveries/failure-streak.model.ts';
import { pauseFailing } from '../src/deliveries/subscription-queue.repository.ts';
import type { EventToRecord } from '../src/event-types/webhook-event.model.ts';
import { recordEvents } from '../src/events/record-events.repository.ts';
import { webhookEvent } from '../src/events/webhook-event.wire.ts';
import { accept, type Answer } from './receiver.ts';
import { completed, keysOf, standing, storeEvents } from './replays.ts';
import { postingFor, publish, publishRevoked, revokedConsentOf, type WireSubscription } from './running.ts';
import { arrived, openScene, type Scene, type Subscriber } from './scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openScene({ WEBHOOK_RETRY_SCHEDULE: ['0s', ...Array<string>(20).fill('20ms')].join() });
});
afterAll(() => scene.close());

type Shown = WireSubscription & { pausedAt?: string; pausedReason?: string; replayId?: string };

const gone: Answer = (response) => void response.writeHead(410).end();

async function shown({ client, subscription }: Subscriber): Promise<Shown> {
  const { status, body } = await client.ask('GET', `/${subscription.id}`);
  expect(status).toBe(200);
  return body as Shown;
}

async function resume({ client, subscription }: Subscriber): Promise<Shown> {
  const { status, body } = await client.ask('POST', `/${subscription.id}/resume`);
  expect(status).toBe(200);
  return body as Shown;
}

const isPaused = (subscriber: Subscriber): Promise<Shown> =>
  until(
    async () => {
      const found = await shown(subscriber);
      return found.status === 'PAUSED' && found;
    },
    { what: 'the subscription to be paused' },
  );

/** A subscriber that was paused by an answer of 410 to a posting, with that posting. */
async function paused(): Promise<{ subscriber: Subscriber; first: string }> {
  const subscriber = await scene.subscriber(gone);
  const first = postingFor([subscriber.tpp]);
  await publish(scene.parts.producer, [first]);
  await isPaused(subscriber);
  return { subscriber, first: first.eventId };
}

const allDelivered = ({ subscription }: Subscriber, count: number): Promise<unknown> =>
  until(
    async () => {
      const found = await scene.deliveriesOf(subscription);
      return found.length === count && found.every(({ status }) => status === 'delivered');
    },
    { what: `${count} deliveries` },
  );

describe('POST /v1/webhook-subscriptions/{id}/resume (§4.6, §6)', () => {
  it('sends pending deliveries and the events of the pause, and repeats nothing earlier', async () => {
    const subscriber = await scene.subscriber();
    const { tpp, receiver, subscription } = subscriber;
    const before = postingFor([tpp]);
    await publish(scene.parts.producer, [before]);
    await allDelivered(subscriber, 1);
    receiver.answer = gone;
    const refused = postingFor([tpp]);
    await publish(scene.parts.producer, [refused]);
    const { pausedAt, pausedReason } = await isPaused(subscriber);
    expect(pausedReason).toBe('GONE');
    const during = [postingFor([tpp]), postingFor([tpp])];
    await publish(scene.parts.producer, during);
    await publishRevoked(scene.parts.producer, revokedConsentOf(tpp));
    await scene.fence([tpp]);
    expect(await scene.deliveriesOf(subscription)).toMatchObject([
      { status: 'delivered' },
      { status: 'pending' },
    ]);
    receiver.answer = accept;
    const sent = receiver.received.length;
    const resumed = await resume(subscriber);
    expect(resumed).toEqual({ ...subscription, replayId: expect.any(String) as string });
    // The fence was a posting for this client, too.
    expect(await completed(subscriber, resumed)).toMatchObject({
      cause: 'RESUMED',
      from: pausedAt,
      events: 3,
      deliveries: 3,
    });
    await allDelivered(subscriber, 5);
    const again = keysOf(subscriber).slice(sent);
    expect(again).toHaveLength(4);
    for (const { eventId } of [refused, ...during]) expect(again).toContain(eventId);
    expect(again).not.toContain(before.eventId);
    const after = postingFor([tpp]);
    await publish(scene.parts.producer, [after]);
    await allDelivered(subscriber, 6);
    expect(keysOf(subscriber).at(-1)).toBe(after.eventId);
  });

  it('does not repeat a delivery that was accepted after the 410 to another', async () => {
    const held: ServerResponse[] = [];
    const subscriber = await scene.subscriber((response) => void held.push(response));
    const { tpp, receiver, subscription } = subscriber;
    const slow = postingFor([tpp]);
    await publish(scene.parts.producer, [slow]);
    await arrived(receiver);
    receiver.answer = gone;
    const refused = postingFor([tpp]);
    await publish(scene.parts.producer, [refused]);
    await isPaused(subscriber);
    held[0]!.writeHead(204).end();
    await scene.settled(subscription, 'delivered');
    receiver.answer = accept;
    await completed(subscriber, await resume(subscriber));
    await allDelivered(subscriber, 2);
    expect(keysOf(subscriber).filter((key) => key === slow.eventId)).toHaveLength(1);
  });

  it('does not change an active subscription; concurrent requests resume it once', async () => {
    const { subscriber } = await paused();
    subscriber.receiver.answer = accept;
    const answers = await Promise.all([1, 2, 3].map(() => resume(subscriber)));
    expect(answers.map(({ status }) => status)).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
    expect(answers.filter(({ replayId }) => replayId !== undefined)).toHaveLength(1);
    expect(await resume(subscriber)).toEqual(subscriber.subscription);
    const { rows } = await scene.parts.pool.query('SELECT FROM replay WHERE subscription_id = $1', [
      subscriber.subscription.internalId,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('sends events that were recorded during the pause, however old they are', async () => {
    const { subscriber, first } = await paused();
    const { tpp, receiver, subscription } = subscriber;
    await scene.parts.pool.query(
      "UPDATE subscription SET created_at = now() - interval '3 hours' WHERE internal_id = $1",
      [subscription.internalId],
    );
    const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
    const late = [0.1, 0.2, 1, 2].map((hours) => postingFor([tpp], { eventTime: hoursAgo(hours) }));
    const tooOld = postingFor([tpp], { eventTime: hoursAgo(4) });
    await publish(scene.parts.producer, [...late, tooOld]);
    await scene.fence();
    receiver.answer = accept;
    expect(await completed(subscriber, await resume(subscriber))).toMatchObject({ events: 4, deliveries: 4 });
    await allDelivered(subscriber, 5);
    const keys = new Set(keysOf(subscriber));
    expect(keys).toEqual(new Set([first, ...late.map(({ eventId }) => eventId)]));
  });

  it('includes the events of a transaction that saw the pause and ends after it', async () => {
    const { subscriber } = await paused();
    const { tpp, receiver } = subscriber;
    const message = postingFor([tpp]);
    const event: EventToRecord = {
      ...webhookEvent({ type: 'Posting.CreatedV1', message }, new Date()),
      traceparent: undefined,
    };
    receiver.answer = accept;
    const { replayId } = await inTransaction(scene.parts.pool, async (tx) => {
      expect(await recordEvents(tx, [event], [])).toEqual([]);
      const resumed = await resume(subscriber);
      await until(
        async () => {
          const { rows } = await scene.parts.pool.query<{ waits_for: string[] | null }>(
            'SELECT waits_for FROM replay WHERE id = $1',
            [resumed.replayId],
          );
          return (rows[0]!.waits_for ?? []).length > 0;
        },
        { what: 'the replay to wait for this transaction' },
      );
      return resumed;
    });
    await arrived(receiver, 1);
    await until(() => keysOf(subscriber).includes(event.id), {
      what: 'what was recorded at the end of the pause',
    });
    expect(await standing(subscriber, replayId!)).toMatchObject({ events: 1, deliveries: 1 });
  });

  it('replays both pauses if the second begins before the replay of the first has ended', async () => {
    const { subscriber, first } = await paused();
    const { tpp, receiver, subscription } = subscriber;
    const during = Array.from({ length: 5 }, () => postingFor([tpp]));
    await publish(scene.parts.producer, during.slice(0, 3));
    await scene.fence();
    const begun = await resume(subscriber);
    await isPaused(subscriber);
    await publish(scene.parts.producer, during.slice(3));
    await scene.fence();
    receiver.answer = accept;
    const again = await resume(subscriber);
    await completed(subscriber, again);
    await allDelivered(subscriber, 6);
    const expected = [first, ...during.map(({ eventId }) => eventId)].toSorted();
    expect([...new Set(keysOf(subscriber))].toSorted()).toEqual(expected);
    expect((await completed(subscriber, begun)).cause).toBe('RESUMED');
    const { rowCount } = await scene.parts.pool.query('SELECT FROM delivery WHERE subscription_id = $1', [
      subscription.internalId,
    ]);
    expect(rowCount).toBe(0);
  });

  it('loses nothing during repeated pauses under load', async () => {
    const accepted = new Set<string>();
    const subscriber = await scene.subscriber((response, { body }, index) => {
      if (index % 20 === 0) return void response.writeHead(410).end();
      accepted.add(body.idempotencyKey);
      return void response.end();
    });
    const postings = Array.from({ length: 200 }, () => postingFor([subscriber.tpp]));
    const publishing = (async () => {
      for (let at = 0; at < postings.length; at += 5)
        await publish(scene.parts.producer, postings.slice(at, at + 5));
    })();
    let pauses = 0;
    await until(
      async () => {
        if ((await shown(subscriber)).status === 'PAUSED') {
          pauses += 1;
          await resume(subscriber);
        }
        return accepted.size === postings.length;
      },
      { what: 'all events', timeout: 120_000 },
    );
    await publishing;
    expect(pauses).toBeGreaterThan(1);
    expect(accepted).toEqual(new Set(postings.map(({ eventId }) => eventId)));
  });

  it('a requested replay waits during a pause, and continues after it', async () => {
    const { subscriber } = await paused();
    const { internalId } = subscriber.subscription;
    const replayId = randomUUID();
    await storeEvents(scene, subscriber.tpp, { apart: '1 hour' });
    await scene.parts.pool.query(
      `INSERT INTO replay (id, subscription_id, client_id, cause, phase, from_time, to_time)
       VALUES ($1, $2, $3, 'ASKED', 'TIME', now() - interval '2 hours', now())`,
      [replayId, internalId, subscriber.tpp.clientId],
    );
    const stepped = async (): Promise<boolean> =>
      (
        await scene.parts.pool.query('SELECT FROM replay WHERE id = $1 AND stepped_at IS NOT NULL', [
          replayId,
        ])
      ).rowCount === 1;
    await until(stepped, { what: 'a step' });
    expect(await standing(subscriber, replayId)).toMatchObject({ status: 'RUNNING', events: 0 });
    subscriber.receiver.answer = accept;
    await resume(subscriber);
    await completed(subscriber, { ...subscriber.subscription, replayId });
    await allDelivered(subscriber, 2);
  });
});

describe('a subscription without a success is paused (§6)', () => {
  const refusing: Answer = (response) => void response.writeHead(500).end();

  const streakOf = async ({ subscription }: Subscriber) => {
    const { rows } = await scene.parts.pool.query<{
      failures: number;
      is_failing: boolean;
      is_held: boolean;
    }>(
      `SELECT failures, failing_since IS NOT NULL AS is_failing, claim_id IS NOT NULL AS is_held
       FROM subscription WHERE internal_id = $1`,
      [subscription.internalId],
    );
    return rows[0]!;
  };

  const failingFor = ({ subscription }: Subscriber, interval: string, failures: number) =>
    scene.parts.pool.query(
      'UPDATE subscription SET failing_since = now() - $2::interval, failures = $3 WHERE internal_id = $1',
      [subscription.internalId, interval, failures],
    );

  it('after 5 days, with the reason; its end sends the events of the pause', async () => {
    const subscriber = await scene.subscriber(refusing);
    const failed = postingFor([subscriber.tpp]);
    await publish(scene.parts.producer, [failed]);
    await until(
      async () => (await streakOf(subscriber)).failures === 21 && !(await streakOf(subscriber)).is_held,
      {
        what: 'a streak of failures to be known',
      },
    );
    await failingFor(subscriber, '121 hours', 21);
    expect(await isPaused(subscriber)).toMatchObject({ pausedReason: 'FAILURES' });
    const during = postingFor([subscriber.tpp]);
    await publish(scene.parts.producer, [during]);
    await scene.fence();
    subscriber.receiver.answer = accept;
    await completed(subscriber, await resume(subscriber));
    await scene.settled(subscriber.subscription, 'delivered');
    expect(keysOf(subscriber).at(-1)).toBe(during.eventId);
    expect(await scene.deliveriesOf(subscriber.subscription)).toMatchObject([
      { status: 'exhausted' },
      { status: 'delivered' },
    ]);
    await until(async () => !(await streakOf(subscriber)).is_failing, { what: 'the streak to be over' });
    expect(await shown(subscriber)).toEqual(subscriber.subscription);
  });

  it('also during a claim', async () => {
    const subscriber = await scene.subscriber(refusing);
    await failingFor(subscriber, '119 hours 59 minutes 55 seconds', 9);
    const posting = setInterval(
      () => void publish(scene.parts.producer, [postingFor([subscriber.tpp])]).catch(() => undefined),
      100,
    );
    try {
      expect(await isPaused(subscriber)).toMatchObject({ pausedReason: 'FAILURES' });
    } finally {
      clearInterval(posting);
    }
  });

  it('a success restarts the 5 days', async () => {
    const subscriber = await scene.subscriber();
    await failingFor(subscriber, '119 hours', 1_000);
    await publish(scene.parts.producer, [postingFor([subscriber.tpp])]);
    await allDelivered(subscriber, 1);
    await until(async () => !(await streakOf(subscriber)).is_failing, { what: 'the streak to end' });
    expect((await streakOf(subscriber)).failures).toBe(0);
  });

  it('another callback restarts the 5 days, the same one does not', async () => {
    const subscriber = await scene.subscriber();
    const { client, subscription } = subscriber;
    await failingFor(subscriber, '1 hour', 10);
    const { callbackUrl, eventTypes } = subscription;
    await client.ask('PUT', `/${subscription.id}`, { callbackUrl, eventTypes });
    expect(await streakOf(subscriber)).toMatchObject({ failures: 10, is_failing: true });
    await client.ask('PUT', `/${subscription.id}`, { callbackUrl: `${callbackUrl}&b=2`, eventTypes });
    expect(await streakOf(subscriber)).toMatchObject({ failures: 0, is_failing: false });
  });

  const AFTER = { afterMs: 120 * 60 * 60_000, minFailures: MIN_FAILURES, claims: [] };

  it.each([
    ['119 hours', 10, false],
    ['121 hours', 9, false],
    ['121 hours', 10, true],
  ])('%s with %i failures: %s', async (interval, failures, isToPause) => {
    const subscriber = await scene.subscriber();
    const { internalId } = subscriber.subscription;
    await inTransaction(scene.parts.pool, async (tx) => {
      await tx.query(
        'UPDATE subscription SET failing_since = now() - $2::interval, failures = $3 WHERE internal_id = $1',
        [internalId, interval, failures],
      );
      expect((await pauseFailing(tx, AFTER)).includes(internalId)).toBe(isToPause);
      await tx.query('UPDATE subscription SET failing_since = NULL, failures = 0 WHERE internal_id = $1', [
        internalId,
      ]);
    });
  });

  it('only by the process that holds the queue, until its lease ends', async () => {
    const subscriber = await scene.subscriber();
    const { internalId } = subscriber.subscription;
    const claimId = randomUUID();
    await inTransaction(scene.parts.pool, async (tx) => {
      const held = (until: string) =>
        tx.query(
          `UPDATE subscription SET failing_since = now() - interval '6 days', failures = 10, claim_id = $2,
             lease_until = now() + $3::interval WHERE internal_id = $1`,
          [internalId, claimId, until],
        );
      const pausing = async (claim?: string) => {
        const claims = claim === undefined ? [] : [{ subscriptionId: internalId, claimId: claim }];
        return (await pauseFailing(tx, { ...AFTER, claims })).includes(internalId);
      };
      await held('1 minute');
      expect(await pausing()).toBe(false);
      expect(await pausing(randomUUID())).toBe(false);
      expect(await pausing(claimId)).toBe(true);
      await tx.query(
        "UPDATE subscription SET status = 'ACTIVE', paused_at = NULL, paused_reason = NULL WHERE internal_id = $1",
        [internalId],
      );
      await held('-1 minute');
      expect(await pausing()).toBe(true);
    });
  });
});
