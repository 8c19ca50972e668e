import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { deadLetterTopic, openKafka, startConsumers, type TopicConsumer, topics } from '@kontoport/events';
import { createLogger } from '@kontoport/lifecycle';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { hmacOf, startReceiver } from './receiver.ts';
import { type Parts, postingFor, publish, type WireSubscription } from './running.ts';
import { arrived, openScene, type Scene } from './scene.ts';

/** In the audience of an event, though never registered. */
const UNKNOWN_CLIENT = '6f1c2e63-5a0e-4c2e-9a57-0f4a1c8f7f10';

let scene: Scene;
let parts: Parts;

beforeAll(async () => {
  scene = await openScene();
  ({ parts } = scene);
});

afterAll(() => scene.close());

describe('a delivery (§2.12, §5.8, §6)', () => {
  it('is the specified event, signed over the bytes sent', async () => {
    const { tpp, receiver, subscription } = await scene.subscriber();
    const posting = postingFor([tpp], { credit: false, accountNumber: '5000"\\\u0000ø€' });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await publish(parts.producer, [posting], { traceparent });
    await arrived(receiver);
    const webhook = receiver.received[0]!;
    expect(webhook.body).toEqual({
      subscriptionId: subscription.id,
      idempotencyKey: posting.eventId,
      eventTime: posting.eventTime,
      eventType: 'Posting.CreatedV1',
      data: {
        accountNumber: posting.accountNumber,
        ledgerPostingId: posting.ledgerPostingId,
        amount: { value: '125.50', currency: 'DKK', credit: false },
        postingTime: posting.postingTime,
      },
    });
    expect(webhook).toMatchObject({ method: 'POST', path: '/hook?tenant=7' });
    expect(webhook.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'kontoport-webhooks',
      'content-length': String(webhook.raw.length),
      traceparent,
    });
    expect(webhook.headers['x-hmac-signature']).toMatch(/^[0-9a-f]{64}$/);
    // As the specification spells it: people search dumps for it, and some receivers compare it by case.
    expect(webhook.headerNames).toContain('X-HMAC-Signature');
    expect(webhook.headers['x-hmac-signature']).toBe(hmacOf(webhook, subscription.subscriptionKey));
    expect(await scene.settled(subscription, 'delivered')).toEqual({
      status: 'delivered',
      attempts: [expect.objectContaining({ outcome: 'accepted', httpStatus: 204 })],
    });
  });

  it('carries the headers of Standard Webhooks, which its own library verifies with the same key', async () => {
    const { tpp, receiver, subscription } = await scene.subscriber((response, _webhook, index) =>
      response.writeHead(index === 0 ? 500 : 204).end(),
    );
    const posting = postingFor([tpp]);
    await publish(parts.producer, [posting]);
    await arrived(receiver, 2);
    const verifier = new Webhook(subscription.subscriptionKey, { format: 'raw' });
    for (const { headers, raw, body } of receiver.received) {
      const given = Object.fromEntries(
        ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name])]),
      );
      expect(given['webhook-id']).toBe(posting.eventId);
      expect(verifier.verify(raw.toString(), given)).toEqual(body);
      expect(() => verifier.verify(`${raw.toString()} `, given)).toThrow(WebhookVerificationError);
      expect(() => verifier.verify(raw.toString(), { ...given, 'webhook-id': randomUUID() })).toThrow(
        WebhookVerificationError,
      );
    }
  });

  it('goes to each client of the audience, with its own key, and to no other', async () => {
    const [one, two, stranger] = [
      await scene.subscriber(),
      await scene.subscriber(),
      await scene.subscriber(),
    ];
    await publish(parts.producer, [postingFor([one.tpp, two.tpp])]);
    await Promise.all([arrived(one.receiver), arrived(two.receiver)]);
    await scene.fence();
    for (const { receiver, subscription } of [one, two]) {
      expect(receiver.received).toHaveLength(1);
      const webhook = receiver.received[0]!;
      expect(webhook.body.subscriptionId).toBe(subscription.id);
      expect(webhook.headers['x-hmac-signature']).toBe(hmacOf(webhook, subscription.subscriptionKey));
    }
    expect(stranger.receiver.received).toEqual([]);
  });

  it('goes to no client without the role of its type', async () => {
    const { tpp, receiver, subscription } = await scene.subscriber();
    const other = await scene.subscriber(undefined, { roles: ['PSP_PI'], eventTypes: ['Consent.RevokedV1'] });
    // As if its client had lost the role meanwhile.
    await parts.pool.query(
      "UPDATE subscription SET event_types = '{Posting.CreatedV1}' WHERE internal_id = $1",
      [other.subscription.internalId],
    );
    const stranger = await scene.subscriber();
    await parts.pool.query(
      "UPDATE subscription SET client_id = $2, created_at = now() - interval '1 hour' WHERE internal_id = $1",
      [stranger.subscription.internalId, UNKNOWN_CLIENT],
    );
    await publish(parts.producer, [postingFor([tpp, other.tpp, { clientId: UNKNOWN_CLIENT }])]);
    await arrived(receiver);
    await scene.fence();
    expect(receiver.received[0]!.body.subscriptionId).toBe(subscription.id);
    expect(other.receiver.received).toEqual([]);
    expect(stranger.receiver.received).toEqual([]);
  });

  it('goes to a subscription up to a minute younger, and to no younger one', async () => {
    const { tpp, receiver } = await scene.subscriber();
    const skewed = (seconds: number) =>
      postingFor([tpp], { eventTime: new Date(Date.now() - seconds * 1_000).toISOString() });
    const [older, slow] = [skewed(300), skewed(50)];
    await publish(parts.producer, [older, slow]);
    await arrived(receiver);
    await scene.fence();
    expect(receiver.received.map(({ body }) => body.idempotencyKey)).toEqual([slow.eventId]);
  });

  it('goes to each subscription of a client, also with one callback', async () => {
    const { tpp, receiver, client, subscription } = await scene.subscriber();
    const second = await client.subscribe(receiver.url);
    await publish(parts.producer, [postingFor([tpp])]);
    await arrived(receiver, 2);
    const keys = new Map([subscription, second].map((s) => [s.id, s.subscriptionKey]));
    expect(new Set(receiver.received.map(({ body }) => body.subscriptionId))).toEqual(new Set(keys.keys()));
    expect(new Set(receiver.received.map(({ body }) => body.idempotencyKey)).size).toBe(1);
    for (const webhook of receiver.received)
      expect(webhook.headers['x-hmac-signature']).toBe(
        hmacOf(webhook, keys.get(webhook.body.subscriptionId)!),
      );
  });

  it('is made once for a record that Kafka delivers twice', async () => {
    const { tpp, receiver } = await scene.subscriber();
    const posting = postingFor([tpp]);
    await publish(parts.producer, [posting, posting]);
    await publish(parts.producer, [posting]);
    await arrived(receiver);
    await scene.fence();
    expect(receiver.received).toHaveLength(1);
  });

  it('is made once for an event id in upper and lower case', async () => {
    const { tpp, receiver } = await scene.subscriber();
    const posting = postingFor([tpp]);
    await publish(parts.producer, [{ ...posting, eventId: posting.eventId.toUpperCase() }]);
    await arrived(receiver);
    await publish(parts.producer, [posting]);
    await scene.fence();
    expect(receiver.received.map(({ body }) => body.idempotencyKey)).toEqual([posting.eventId]);
  });

  it('is made once for a client that is twice in the audience', async () => {
    const [{ tpp, receiver }, neighbour] = [await scene.subscriber(), await scene.subscriber()];
    await publish(parts.producer, [postingFor([tpp, tpp, neighbour.tpp])]);
    await Promise.all([arrived(receiver), arrived(neighbour.receiver)]);
    await scene.fence();
    expect(receiver.received).toHaveLength(1);
  });
});

describe('a record that cannot be parsed', () => {
  it.each([
    [
      'yet to come',
      JSON.stringify({ ...postingFor([]), eventTime: new Date(Date.now() + 65 * 60_000).toISOString() }),
    ],
  ])('(%s) goes to the dead letter topic, and its partition goes on', async (_name, value) => {
    const { tpp, receiver } = await scene.subscriber();
    const posting = postingFor([tpp]);
    const key = posting.accountId;
    const deadLetters: (string | undefined)[] = [];
    const letters: TopicConsumer<string | undefined> = {
      topic: deadLetterTopic(topics.postings.name),
      parse: (record) => record.value?.toString(),
      handleBatch: async (batch) => void deadLetters.push(...batch.map((letter) => letter.value)),
    };
    const logger = createLogger({ service: 'test', level: 'silent' });
    const consumer = startConsumers({
      kafka: openKafka({ brokers: parts.broker.brokers, clientId: 'test', logger }),
      groupId: randomUUID(),
      topics: [letters],
      deadLetters: parts.producer,
      logger,
    });
    await parts.producer.send([{ topic: topics.postings.name, key, value, headers: {} }]);
    await publish(parts.producer, [posting]);
    await arrived(receiver);
    await until(() => deadLetters.includes(value), { what: 'the dead letter' });
    await consumer.close();
    expect(receiver.received.map(({ body }) => body.idempotencyKey)).toEqual([posting.eventId]);
  });
});

describe('retries (§6)', () => {
  it('repeat the same bytes, idempotencyKey and signature until a 2xx', async () => {
    const { tpp, receiver, subscription } = await scene.subscriber((response, _webhook, index) => {
      response.writeHead(index === 0 ? 500 : 200).end('a body of no interest');
    });
    await publish(parts.producer, [postingFor([tpp])]);
    await arrived(receiver, 2);
    const [first, second] = receiver.received;
    expect(second!.raw.equals(first!.raw)).toBe(true);
    expect(second!.headers['x-hmac-signature']).toBe(first!.headers['x-hmac-signature']);
    expect((await scene.settled(subscription, 'delivered')).attempts).toEqual([
      expect.objectContaining({ outcome: 'rejected', httpStatus: 500 }),
      expect.objectContaining({ outcome: 'accepted', httpStatus: 200 }),
    ]);
  });

  it('end with the schedule, and the log keeps the exhausted delivery', async () => {
    const { tpp, receiver, subscription } = await scene.subscriber(
      (response) => void response.writeHead(404).end(),
    );
    await publish(parts.producer, [postingFor([tpp])]);
    const { attempts } = await scene.settled(subscription, 'exhausted');
    await scene.fence();
    expect(attempts.map(({ httpStatus }) => httpStatus)).toEqual([404, 404, 404, 404]);
    expect(receiver.received).toHaveLength(4);
    expect(new Set(receiver.received.map(({ body }) => body.idempotencyKey)).size).toBe(1);
  });

  it('do not follow a redirect', async () => {
    const target = await startReceiver();
    const { tpp, receiver, subscription } = await scene.subscriber((response, _webhook, index) => {
      if (index === 0) response.writeHead(307, { location: target.url }).end();
      else response.end();
    });
    await publish(parts.producer, [postingFor([tpp])]);
    const { attempts } = await scene.settled(subscription, 'delivered');
    expect(attempts[0]).toMatchObject({ outcome: 'rejected', httpStatus: 307 });
    expect(receiver.received).toHaveLength(2);
    expect(target.received).toEqual([]);
    await target.close();
  });
});

describe('a poll with too many events for one statement (§6)', () => {
  it('is stored in parts after a statement timeout', async () => {
    const { tpp, receiver } = await scene.subscriber();
    await parts.pool.query(`
      CREATE SEQUENCE refusals;
      CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT count(*) FROM fresh) > 10 THEN
          PERFORM nextval('refusals');
          RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = 'query_canceled';
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER slow_disk AFTER INSERT ON event REFERENCING NEW TABLE AS fresh
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()`);
    const accountId = randomUUID();
    const postings = Array.from({ length: 100 }, () => postingFor([tpp], { accountId }));
    await publish(parts.producer, postings);
    await arrived(receiver, postings.length);
    expect(new Set(receiver.received.map(({ body }) => body.idempotencyKey))).toEqual(
      new Set(postings.map(({ eventId }) => eventId)),
    );
    const { rows } = await parts.pool.query<{ is_called: boolean }>('SELECT is_called FROM refusals');
    expect(rows).toEqual([{ is_called: true }]);
    await parts.pool.query('DROP TRIGGER slow_disk ON event');
  });
});

describe('410 Gone (§6)', () => {
  it('pauses the subscription: nothing is sent or made, and the refused delivery stays pending', async () => {
    const { tpp, receiver, client, subscription } = await scene.subscriber(
      (response) => void response.writeHead(410).end(),
    );
    await publish(parts.producer, [postingFor([tpp])]);
    await until(
      async () =>
        ((await client.ask('GET', `/${subscription.id}`)).body as WireSubscription).status === 'PAUSED',
      { what: 'the subscription to be paused' },
    );
    await publish(parts.producer, [postingFor([tpp])]);
    await scene.fence();
    expect(receiver.received).toHaveLength(1);
    expect((await scene.deliveriesOf(subscription)).map(({ status }) => status)).toEqual(['pending']);
  });
});

describe('the end of a subscription (§4.6, §4.2)', () => {
  it('a deleted subscription gets nothing, and its pending deliveries are deleted', async () => {
    const { tpp, receiver, client, subscription } = await scene.subscriber(
      (response) => void response.writeHead(500).end(),
    );
    await publish(parts.producer, [postingFor([tpp]), postingFor([tpp])]);
    await arrived(receiver, 2);
    expect((await client.ask('DELETE', `/${subscription.id}`)).status).toBe(204);
    const later = postingFor([tpp]);
    await publish(parts.producer, [later]);
    await until(async () => (await scene.deliveriesOf(subscription)).length === 0, {
      what: 'the pending deliveries to be dropped',
    });
    // Attempts that were in flight at the deletion may have arrived before this.
    const sent = receiver.received.length;
    await scene.fence();
    expect(receiver.received).toHaveLength(sent);
    expect(receiver.received.map(({ body }) => body.idempotencyKey)).not.toContain(later.eventId);
  });

  it('a deleted client gets nothing, and its subscriptions are deleted', async () => {
    const { tpp, receiver, subscription } = await scene.subscriber(
      (response) => void response.writeHead(500).end(),
    );
    await publish(parts.producer, [postingFor([tpp])]);
    await arrived(receiver);
    parts.peers.deleteTpp(tpp);
    await until(
      async () => {
        const { rows } = await parts.pool.query(
          "SELECT 1 FROM subscription WHERE internal_id = $1 AND status = 'DELETED'",
          [subscription.internalId],
        );
        return rows.length === 1;
      },
      { what: 'the subscription to be deleted' },
    );
    const sent = receiver.received.length;
    await scene.fence([tpp]);
    expect(receiver.received).toHaveLength(sent);
    await until(async () => (await scene.deliveriesOf(subscription)).length === 0, {
      what: 'the pending deliveries to be dropped',
    });
  });
});
