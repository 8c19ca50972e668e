import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import type { Posting } from '@kontoport/proto/events/v1';
import type { Answer } from './receiver.ts';
import { postingFor, publish, publishRevoked, revokedConsentOf } from './running.ts';
import { arrived, openScene, type Scene, type Subscriber } from './scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openScene({ WEBHOOK_RETRY_SCHEDULE: '0s,50ms' });
});
afterAll(() => scene.close());

interface WireDelivery {
  deliveryId: string;
  eventType: string;
  eventTime: string;
  status: string;
  attempts: number;
  nextAttemptAt?: string;
}

interface WirePage {
  deliveries: WireDelivery[];
  nextCursor?: string;
}

const accepting: Answer = (response) => void response.writeHead(200).end('thank you');
const refusing: Answer = (response) => void response.writeHead(401).end('{"error":"wrong signature"}');

async function page({ client, subscription }: Subscriber, query = ''): Promise<WirePage> {
  const { status, body } = await client.ask('GET', `/${subscription.id}/deliveries${query}`);
  expect(status).toBe(200);
  return body as WirePage;
}

async function whole({ client, subscription }: Subscriber, deliveryId: string) {
  return client.ask('GET', `/${subscription.id}/deliveries/${deliveryId}`);
}

const resend = ({ client, subscription }: Subscriber, deliveryId: string) =>
  client.ask('POST', `/${subscription.id}/deliveries/${deliveryId}/resend`);

/** A subscriber with deliveries of postings that have ended, one a second before the next, newest first. */
async function withHistory(
  count: number,
  answer: Answer,
): Promise<{ subscriber: Subscriber; postings: Posting[] }> {
  const subscriber = await scene.subscriber(answer);
  await scene.parts.pool.query(
    "UPDATE subscription SET created_at = now() - interval '1 day' WHERE internal_id = $1",
    [subscriber.subscription.internalId],
  );
  const postings = Array.from({ length: count }, (_, i) =>
    postingFor([subscriber.tpp], { eventTime: new Date(Date.now() - i * 1_000).toISOString() }),
  );
  await publish(scene.parts.producer, postings);
  await until(
    async () => {
      const found = await scene.deliveriesOf(subscriber.subscription);
      return found.length === count && found.every(({ status }) => status !== 'pending');
    },
    { what: `${count} deliveries to end` },
  );
  return { subscriber, postings };
}

describe('GET /v1/webhook-subscriptions/{id}/deliveries (§4.6)', () => {
  it('lists what became of each event, newest first', async () => {
    const { subscriber, postings } = await withHistory(3, accepting);
    expect(await page(subscriber)).toEqual({
      deliveries: postings.map(({ eventId, eventTime }) => ({
        deliveryId: eventId,
        eventType: 'Posting.CreatedV1',
        eventTime,
        status: 'delivered',
        attempts: 1,
      })),
    });
  });

  it('has pages that do not overlap, with pending and finished deliveries', async () => {
    const { subscriber, postings } = await withHistory(5, accepting);
    await scene.parts.pool.query(
      `WITH ended AS (
         DELETE FROM delivery_log WHERE event_id = ANY ($1::uuid[]) RETURNING subscription_id, event_time, event_id
       ) INSERT INTO delivery (subscription_id, event_time, event_id, due_at)
         SELECT subscription_id, event_time, event_id, now() + interval '1 hour' FROM ended`,
      [[postings[1]!.eventId, postings[4]!.eventId]],
    );
    const found: WireDelivery[] = [];
    let query = '?limit=2';
    for (let pages = 0; pages < 3; pages += 1) {
      const { deliveries, nextCursor } = await page(subscriber, query);
      expect(deliveries.length).toBeLessThanOrEqual(2);
      found.push(...deliveries);
      expect(nextCursor === undefined).toBe(pages === 2);
      query = `?limit=2&cursor=${nextCursor}`;
    }
    expect(found.map(({ deliveryId }) => deliveryId)).toEqual(postings.map(({ eventId }) => eventId));
    expect(found.map(({ status }) => status)).toEqual([
      'delivered',
      'pending',
      'delivered',
      'delivered',
      'pending',
    ]);
    expect(found.map(({ nextAttemptAt }) => nextAttemptAt !== undefined)).toEqual([
      false,
      true,
      false,
      false,
      true,
    ]);
  });

  it('filters by status, type and time', async () => {
    const { subscriber, postings } = await withHistory(3, refusing);
    const { client, tpp, subscription, receiver } = subscriber;
    receiver.answer = accepting;
    await client.ask('PUT', `/${subscription.id}`, {
      callbackUrl: receiver.url,
      eventTypes: ['Posting.CreatedV1', 'Consent.RevokedV1'],
    });
    const revoked = revokedConsentOf(tpp);
    await publishRevoked(scene.parts.producer, revoked);
    await scene.settled(subscription, 'delivered');
    const ids = async (query: string): Promise<string[]> =>
      (await page(subscriber, query)).deliveries.map(({ deliveryId }) => deliveryId);
    const refused = postings.map(({ eventId }) => eventId);
    expect(await ids('?status=exhausted')).toEqual(refused);
    expect(await ids('?status=delivered')).toEqual([revoked.eventId]);
    expect(await ids('?status=pending')).toEqual([]);
    expect(await ids('?eventType=Consent.RevokedV1')).toEqual([revoked.eventId]);
    expect(await ids(`?from=${postings[1]!.eventTime}`)).toEqual([revoked.eventId, ...refused.slice(0, 2)]);
    expect(await ids(`?to=${postings[1]!.eventTime}`)).toEqual(refused.slice(2));
    expect(await ids('?status=exhausted&limit=1')).toEqual(refused.slice(0, 1));
  });

  it.each([
    ['limit', '?limit=0'],
    ['limit', '?limit=101'],
    ['limit', '?limit=x'],
    ['status', '?status=lost'],
    ['eventType', '?eventType=Posting.DeletedV1'],
    ['from', '?from=yesterday'],
    ['to', '?to=2026-02-30T00:00:00Z'],
    ['cursor', `?cursor=${'A'.repeat(65)}`],
  ])('refuses a wrong %s: %s', async (path, query) => {
    const { client, subscription } = await scene.subscriber();
    const asked = await client.ask('GET', `/${subscription.id}/deliveries${query}`);
    expect(asked).toMatchObject({
      status: 400,
      body: { errorCode: 'FORMAT_ERROR', details: [{ path: `query.${path}` }] },
    });
  });

  it('refuses a foreign cursor', async () => {
    const { client, subscription } = await scene.subscriber();
    const asked = await client.ask('GET', `/${subscription.id}/deliveries?cursor=never-given`);
    expect(asked).toMatchObject({ status: 400, body: { errorCode: 'CURSOR_INVALID' } });
  });
});

describe('GET /v1/webhook-subscriptions/{id}/deliveries/{deliveryId} (§4.6)', () => {
  it('has every attempt, with the beginning of a refusal', async () => {
    const { subscriber, postings } = await withHistory(1, (response, _webhook, index) => {
      if (index === 0) response.writeHead(500).end('x'.repeat(5_000));
      else refusing(response, _webhook, index);
    });
    const { eventId, eventTime } = postings[0]!;
    const attempt = { startedAt: expect.any(String) as string, milliseconds: expect.any(Number) as number };
    expect(await whole(subscriber, eventId)).toEqual({
      status: 200,
      body: {
        deliveryId: eventId,
        eventType: 'Posting.CreatedV1',
        eventTime,
        status: 'exhausted',
        attempts: [
          {
            number: 1,
            ...attempt,
            outcome: 'rejected',
            reason: 'status',
            httpStatus: 500,
            responseExcerpt: 'x'.repeat(1_024),
          },
          {
            number: 2,
            ...attempt,
            outcome: 'rejected',
            reason: 'status',
            httpStatus: 401,
            responseExcerpt: '{"error":"wrong signature"}',
          },
        ],
      },
    });
  });

  it('stores excerpts encrypted, and none of a 2xx', async () => {
    const { subscriber, postings } = await withHistory(
      1,
      (response, _webhook, index) =>
        void response.writeHead(index === 0 ? 500 : 200).end('a secret of the TPP'),
    );
    const { rows } = await scene.parts.pool.query<{ row: string }>(
      'SELECT delivery_log::text AS row FROM delivery_log WHERE event_id = $1',
      [postings[0]!.eventId],
    );
    expect(rows[0]!.row).toContain('sealedExcerpt');
    expect(rows[0]!.row).not.toContain('secret');
    expect(rows[0]!.row).not.toContain(Buffer.from('a secret').toString('base64').slice(0, 8));
    const { body } = await whole(subscriber, postings[0]!.eventId);
    const { attempts } = body as { attempts: { responseExcerpt?: string }[] };
    expect(attempts.map(({ responseExcerpt }) => responseExcerpt)).toEqual([
      'a secret of the TPP',
      undefined,
    ]);
  });
});

describe("another client's log, and another subscription's (§4.6)", () => {
  const REQUESTS = [
    ['GET', ''],
    ['GET', '/DELIVERY'],
    ['POST', '/DELIVERY/resend'],
  ] as const;

  const askBy = (method: string, path: string) => (who: Subscriber, id: string, deliveryId: string) =>
    who.client.ask(method, `/${id}/deliveries${path.replace('DELIVERY', deliveryId)}`);

  it.each(REQUESTS)('%s /{id}/deliveries%s of a stranger looks like an unknown one', async (method, path) => {
    const { subscriber, postings } = await withHistory(1, refusing);
    const { eventId } = postings[0]!;
    const ask = askBy(method, path);
    const unknown = await ask(subscriber, 'never-made', eventId);
    expect(unknown).toMatchObject({ status: 404, body: { errorCode: 'RESOURCE_UNKNOWN' } });
    expect(await ask(await scene.subscriber(), subscriber.subscription.id, eventId)).toEqual(unknown);
    expect((await page(subscriber)).deliveries).toMatchObject([{ status: 'exhausted' }]);
  });

  it.each(REQUESTS.slice(1))(
    '%s /{id}/deliveries%s of a delivery to somebody else looks like an unknown one',
    async (method, path) => {
      const { subscriber, postings } = await withHistory(1, refusing);
      const stranger = await scene.subscriber();
      const ask = askBy(method, path);
      const unknown = await ask(stranger, stranger.subscription.id, randomUUID());
      expect(unknown).toMatchObject({ status: 404, body: { errorCode: 'RESOURCE_UNKNOWN' } });
      expect(await ask(stranger, stranger.subscription.id, postings[0]!.eventId)).toEqual(unknown);
      expect((await page(subscriber)).deliveries).toMatchObject([{ status: 'exhausted' }]);
    },
  );
});

describe('POST /v1/webhook-subscriptions/{id}/deliveries/{deliveryId}/resend (§4.6)', () => {
  it('sends again with the whole schedule and the same body, and keeps earlier attempts', async () => {
    const { subscriber, postings } = await withHistory(1, refusing);
    const { eventId } = postings[0]!;
    const { receiver } = subscriber;
    expect(await resend(subscriber, eventId)).toMatchObject({
      status: 202,
      body: { deliveryId: eventId, status: 'pending', attempts: [{ number: 1 }, { number: 2 }] },
    });
    await arrived(receiver, 4);
    await until(async () => (await page(subscriber)).deliveries[0]!.status === 'exhausted', {
      what: 'the schedule to end again',
    });
    expect((await page(subscriber)).deliveries).toMatchObject([{ deliveryId: eventId, attempts: 4 }]);
    expect(new Set(receiver.received.map(({ raw }) => raw.toString())).size).toBe(1);
    receiver.answer = accepting;
    expect((await resend(subscriber, eventId)).status).toBe(202);
    await scene.settled(subscriber.subscription, 'delivered');
    expect((await page(subscriber)).deliveries).toMatchObject([{ status: 'delivered', attempts: 5 }]);
  });

  it('is 409 while the delivery is pending, also for a concurrent request', async () => {
    const { subscriber, postings } = await withHistory(1, refusing);
    subscriber.receiver.answer = () => {};
    const answers = await Promise.all([1, 2, 3].map(() => resend(subscriber, postings[0]!.eventId)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({
      errorCode: 'STATUS_INVALID',
      message: 'The delivery is still to be sent.',
    });
    await arrived(subscriber.receiver, 3);
  });

  it('is 403 once the client has lost the role of the event type', async () => {
    const subscriber = await scene.subscriber(accepting, {
      roles: ['PSP_PI'],
      eventTypes: ['Consent.RevokedV1'],
    });
    const revoked = revokedConsentOf(subscriber.tpp);
    await publishRevoked(scene.parts.producer, revoked);
    await scene.settled(subscriber.subscription, 'delivered');
    await scene.parts.pool.query("UPDATE event SET type = 'Posting.CreatedV1' WHERE id = $1", [
      revoked.eventId,
    ]);
    expect(await resend(subscriber, revoked.eventId)).toMatchObject({
      status: 403,
      body: { errorCode: 'SCOPE_INSUFFICIENT' },
    });
    expect((await page(subscriber)).deliveries).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    expect(subscriber.receiver.received).toHaveLength(1);
  });

  it('is 409 while the subscription is paused', async () => {
    const { subscriber, postings } = await withHistory(1, refusing);
    await scene.parts.pool.query(
      `UPDATE subscription SET status = 'PAUSED', paused_at = now(), paused_reason = 'GONE', claim_id = NULL,
         lease_until = NULL WHERE internal_id = $1`,
      [subscriber.subscription.internalId],
    );
    expect(await resend(subscriber, postings[0]!.eventId)).toMatchObject({
      status: 409,
      body: { message: 'The subscription is paused: nothing is sent until it is resumed.' },
    });
    expect((await page(subscriber)).deliveries).toMatchObject([{ status: 'exhausted', attempts: 2 }]);
  });

  it('is 409 after 100 attempts', async () => {
    const { subscriber, postings } = await withHistory(1, refusing);
    const { eventId } = postings[0]!;
    const sent = (times: number) =>
      scene.parts.pool.query('UPDATE delivery_log SET attempts = $2 WHERE event_id = $1', [eventId, times]);
    await sent(100);
    expect(await resend(subscriber, eventId)).toMatchObject({
      status: 409,
      body: { message: 'The delivery was sent 100 times; it is not sent again.' },
    });
    await sent(99);
    expect((await resend(subscriber, eventId)).status).toBe(202);
    await until(async () => (await page(subscriber)).deliveries[0]!.status === 'exhausted', {
      what: 'the last attempt',
    });
    expect((await page(subscriber)).deliveries).toMatchObject([{ attempts: 100 }]);
    expect(subscriber.receiver.received).toHaveLength(3);
  });
});
