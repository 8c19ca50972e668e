import { accept, hmacOf, startReceiver } from './receiver.ts';
import { arrived, openScene, type Scene, type Subscriber } from './scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

describe('POST /v1/webhook-subscriptions/{id}/test (§4.6, §6)', () => {
  const test = ({ client, subscription }: Subscriber) => client.ask('POST', `/${subscription.id}/test`);

  const testedAt = ({ subscription }: Subscriber, time: string, tests = 1) =>
    scene.parts.pool.query(`UPDATE subscription SET tested_at = ${time}, tests = $2 WHERE internal_id = $1`, [
      subscription.internalId,
      tests,
    ]);

  it('sends an empty event to this subscription only, signed and logged like any other', async () => {
    const subscriber = await scene.subscriber(accept, {
      roles: ['PSP_PI'],
      eventTypes: ['Consent.RevokedV1'],
    });
    const { client, receiver, subscription } = subscriber;
    const other = await startReceiver();
    const twin = await client.subscribe(other.url, undefined, ['Consent.RevokedV1']);
    const { status, body } = await test(subscriber);
    const made = body as { deliveryId: string; eventTime: string };
    expect([status, body]).toMatchObject([202, { eventType: 'Webhook.TestV1', status: 'pending' }]);
    await arrived(receiver);
    const { subscriptionKey } = subscription;
    const [webhook] = receiver.received;
    expect(webhook!.body).toEqual({
      subscriptionId: subscription.id,
      idempotencyKey: made.deliveryId,
      eventTime: made.eventTime,
      eventType: 'Webhook.TestV1',
      data: {},
    });
    expect(webhook!.headers['x-hmac-signature']).toBe(hmacOf(webhook!, subscriptionKey));
    await scene.settled(subscription, 'delivered');
    const log = await client.ask('GET', `/${subscription.id}/deliveries?eventType=Webhook.TestV1`);
    expect(log.body).toMatchObject({
      deliveries: [{ deliveryId: made.deliveryId, status: 'delivered', attempts: 1 }],
    });
    expect(await scene.deliveriesOf(twin)).toEqual([]);
    const again = await client.ask('POST', `/${subscription.id}/deliveries/${made.deliveryId}/resend`);
    expect(again.status).toBe(202);
    await arrived(receiver, 2);
    await scene.settled(subscription, 'delivered');
    expect(receiver.received[1]!.raw).toEqual(webhook!.raw);
    await other.close();
  });

  it('once a second', async () => {
    const subscriber = await scene.subscriber(accept);
    const started = performance.now();
    const answers = await Promise.all(Array.from({ length: 12 }, () => test(subscriber)));
    const seconds = (performance.now() - started) / 1_000;
    const made = answers.filter(({ status }) => status === 202).length;
    expect(made).toBeGreaterThanOrEqual(1);
    expect(made).toBeLessThanOrEqual(1 + seconds);
    await testedAt(subscriber, "now() - interval '1 second'");
    expect((await test(subscriber)).status).toBe(202);
  });

  it('is 429 sooner, with the time to wait', async () => {
    const subscriber = await scene.subscriber(accept);
    const { tpp, subscription } = subscriber;
    await testedAt(subscriber, "now() + interval '1 minute'");
    const refused = await fetch(`${scene.service.origin}/v1/webhook-subscriptions/${subscription.id}/test`, {
      method: 'POST',
      headers: await tpp.headers(),
    });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(61);
    expect(await refused.json()).toMatchObject({
      errorCode: 'RATE_LIMITED',
      message: 'A subscription is tested at most once a second.',
    });
    expect(await scene.deliveriesOf(subscription)).toEqual([]);
  });

  const TODAY = "date_trunc('day', now(), 'UTC')";

  it.each([
    [999, "now() - interval '1 second'", 202],
    [1_000, TODAY, 429],
    [1_000, `${TODAY} - interval '1 second'`, 202],
  ])('after %i tests of a day, the last at %s, it is %i', async (tests, time, status) => {
    const subscriber = await scene.subscriber(accept);
    await testedAt(subscriber, time, tests);
    const answer = await test(subscriber);
    expect(answer.status).toBe(status);
    const { message = '' } = answer.body as { message?: string };
    expect(message.includes('at most 1000 times a day')).toBe(status === 429);
  });

  it('is 409 while the subscription is paused', async () => {
    const subscriber = await scene.subscriber(accept);
    await scene.parts.pool.query(
      "UPDATE subscription SET status = 'PAUSED', paused_at = now(), paused_reason = 'GONE' WHERE internal_id = $1",
      [subscriber.subscription.internalId],
    );
    expect(await test(subscriber)).toMatchObject({ status: 409, body: { errorCode: 'STATUS_INVALID' } });
    expect(await scene.deliveriesOf(subscriber.subscription)).toEqual([]);
  });
});
