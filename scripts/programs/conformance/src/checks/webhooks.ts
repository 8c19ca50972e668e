import { createHmac, randomUUID } from 'node:crypto';
import { startWebhookServer } from '@kontoport/profile';
import type { Check } from '../check.ts';
import {
  expectRefusal,
  expectSameRefusal,
  expectStatus,
  expectThat,
  type Json,
  listOf,
  Skipped,
  textOf,
} from '../expectations.ts';
import { eventually, type Request, type Tpp } from '../tpp.ts';

const ALL = '/v1/webhook-subscriptions';
const BODY = { callbackUrl: 'https://tpp.example/webhooks', eventTypes: ['Consent.RevokedV1'] };
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const post = (json?: unknown): Request => ({ method: 'POST', ...(json !== undefined && { json }) });
const DELETE: Request = { method: 'DELETE' };

interface Delivery {
  key: unknown;
  isSigned: boolean;
}

/** Subscribes a receiver on this machine, for the time of a function. The receiver refuses the first delivery. */
async function withReceiver(
  tpp: Tpp,
  use: (path: string, deliveries: readonly Delivery[]) => Promise<void>,
): Promise<void> {
  if (!LOOPBACK.has(new URL(tpp.deployment.config.baseUrl).hostname))
    throw new Skipped('the deployment is on another machine and cannot call a receiver here');
  const path = `${ALL}/${randomUUID()}`;
  const deliveries: Delivery[] = [];
  let subscriptionKey = '';
  const receiver = await startWebhookServer(0, ({ headers, body }) => {
    const signature = createHmac('sha256', subscriptionKey).update(body).digest('hex');
    deliveries.push({ key: headers['webhook-id'], isSigned: headers['x-hmac-signature'] === signature });
    return Promise.resolve({ status: deliveries.length === 1 ? 503 : 204 });
  });
  try {
    const created = await tpp.send(path, post({ ...BODY, callbackUrl: receiver.url }));
    if (created.status === 400) throw new Skipped('the deployment allows no callback on this machine');
    subscriptionKey = textOf(expectStatus(created, 201), 'subscriptionKey');
    await use(path, deliveries);
    expectThat(
      deliveries.every(({ isSigned }) => isSigned),
      'a valid X-HMAC-Signature',
      'an invalid one',
    );
  } finally {
    await tpp.send(path, DELETE);
    await receiver.close();
  }
}

/** Sends a test event, which the receiver accepts at the second attempt. @returns its delivery */
async function deliverTest(tpp: Tpp, path: string): Promise<{ id: string; delivery: Json }> {
  const id = textOf(await tpp.ask(`${path}/test`, { ...post(), status: 202 }), 'deliveryId');
  const delivery = await eventually('a delivered event', async () => {
    const json = await tpp.ask(`${path}/deliveries/${id}`);
    return json.status === 'delivered' ? json : undefined;
  });
  return { id, delivery };
}

/** Webhook subscriptions and deliveries. */
export const webhookChecks: readonly Check[] = [
  {
    clause: '4.6',
    id: 'subscription',
    must: 'A subscription has one key of 32 letters, which every read returns and no change replaces.',
    async run(tpp) {
      const id = randomUUID();
      const path = `${ALL}/${id}`;
      const { subscriptionKey } = await tpp.ask(path, { ...post(BODY), status: 201 });
      expectThat(/^[A-Za-z]{32}$/.test(String(subscriptionKey)), 'a key of 32 letters', 'another');
      const changed = { ...BODY, callbackUrl: 'https://tpp.example/other' };
      const put = await tpp.ask(path, { method: 'PUT', json: changed });
      const listed = listOf(await tpp.ask(ALL), 'subscriptions').filter((each) => each.id === id);
      expectThat(listed.length === 1, 'the subscription in the list', 'none');
      for (const json of [put, ...listed, await tpp.ask(path)]) {
        expectThat(json.subscriptionKey === subscriptionKey, 'the same key', 'another');
        expectThat(json.callbackUrl === changed.callbackUrl, 'the new callbackUrl', 'another');
      }
      expectStatus(await tpp.send(path, DELETE), 204);
      expectRefusal(await tpp.send(path, DELETE), 404, 'RESOURCE_UNKNOWN');
      expectRefusal(await tpp.send(path, post(BODY)), 409, 'DUPLICATE_ID');
    },
  },
  {
    clause: '4.6',
    id: 'foreign-subscription',
    must: 'Another client’s subscription is as unknown as an id that never existed.',
    async run(tpp) {
      const neighbour = await tpp.neighbour();
      const path = `${ALL}/${randomUUID()}`;
      await neighbour.ask(path, { ...post(BODY), status: 201 });
      const foreign = await tpp.send(path);
      expectRefusal(foreign, 404, 'RESOURCE_UNKNOWN');
      expectSameRefusal(foreign, await tpp.send(`${ALL}/${randomUUID()}`));
      expectRefusal(await tpp.send(path, DELETE), 404, 'RESOURCE_UNKNOWN');
      expectStatus(await neighbour.send(path), 200);
    },
  },
  {
    clause: '2.11',
    id: 'callback-url',
    must: 'A callbackUrl with user information, a fragment or a private address is 400.',
    async run(tpp) {
      for (const callbackUrl of [
        'https://user@tpp.example/',
        'https://tpp.example/#part',
        'https://10.0.0.1/',
        '/webhooks',
      ])
        expectRefusal(
          await tpp.send(`${ALL}/${randomUUID()}`, post({ ...BODY, callbackUrl })),
          400,
          'FORMAT_ERROR',
        );
    },
  },
  {
    clause: '6',
    id: 'event-type-role',
    must: 'An event type of another role is 403.',
    async run(tpp) {
      const role = (['PSP_AI', 'PSP_PI'] as const).find((each) => tpp.roles.includes(each))!;
      const eventTypes = [role === 'PSP_AI' ? 'Transfer.CreatedV1' : 'Posting.CreatedV1'];
      await tpp.withClient({ roles: [role] }, async (client) => {
        expectStatus(await client.send(`${ALL}/${randomUUID()}`, post({ ...BODY, eventTypes })), 403);
      });
    },
  },
  {
    clause: '6',
    id: 'delivery',
    must: 'A refused delivery is sent again with the same idempotency key, and its log has both attempts.',
    isForSandbox: true,
    run: (tpp) =>
      withReceiver(tpp, async (path, deliveries) => {
        const { id, delivery } = await deliverTest(tpp, path);
        const outcomes = listOf(delivery, 'attempts').map(({ outcome }) => outcome);
        expectThat(outcomes.join() === 'rejected,accepted', 'the outcomes rejected and accepted', 'others');
        expectThat(
          deliveries.length === 2 && deliveries.every(({ key }) => key === id),
          'two deliveries with one key',
          'others',
        );
      }),
  },
  {
    clause: '4.6',
    id: 'resend',
    must: 'A delivery can be sent again, and a replay of a time range is accepted.',
    isForSandbox: true,
    run: (tpp) =>
      withReceiver(tpp, async (path, deliveries) => {
        const { id } = await deliverTest(tpp, path);
        const before = deliveries.length;
        await tpp.ask(`${path}/deliveries/${id}/resend`, { ...post(), status: 202 });
        await eventually('the delivery again', () =>
          Promise.resolve(deliveries.length > before || undefined),
        );
        expectThat(deliveries.at(-1)?.key === id, 'the same idempotency key', 'another');
        const from = new Date(Date.now() - 60_000).toISOString();
        const replayId = textOf(
          await tpp.ask(`${path}/replay`, { ...post({ from }), status: 202 }),
          'replayId',
        );
        await eventually('a replay COMPLETED', async () => {
          const { status } = await tpp.ask(`${path}/replays/${replayId}`);
          return status === 'COMPLETED' || undefined;
        });
      }),
  },
];
