import { expectStatus, expectThat, jsonOf, numberOf, textOf } from './expectations.ts';
import { eventually, type Session, type Tour } from './script.ts';
import type { Answer, Call } from './tpp-client.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

const DELIVERY_LIMIT_MS = 60_000;
const REPLAYED_MS = 60 * 60_000;

interface Subscribed {
  session: Session;
  receiver: WebhookReceiver;
  subscription: { id: string };
}

/** What a provider does that wants to know whether its endpoint works, or was gone for a while (§4.6). */
export async function repairWebhooks(tour: Tour, subscribed: Subscribed): Promise<void> {
  await testReceiver(tour, subscribed);
  await bePaused(tour, subscribed);
  await resume(tour, subscribed);
}

async function ask(
  { sandbox, tpp }: Tour,
  { session, subscription }: Subscribed,
  asked: { method: 'GET' | 'POST'; path?: string; json?: unknown; status: number },
): Promise<{ call: Call; answer: Answer }> {
  const { method, path = '', json, status } = asked;
  const call: Call = {
    method,
    url: `${sandbox.baseUrl}/v1/webhook-subscriptions/${subscription.id}${path}`,
    ...(json === undefined ? {} : { json }),
    authorization: session.authorization,
  };
  const answer = await tpp.call(call);
  expectStatus(answer, status);
  return { call, answer };
}

async function testReceiver(tour: Tour, subscribed: Subscribed): Promise<void> {
  const { narrator } = tour;
  narrator.step('Test the own endpoint for webhooks');
  const { call, answer } = await ask(tour, subscribed, { method: 'POST', path: '/test', status: 202 });
  const deliveryId = textOf(jsonOf(answer), 'deliveryId');
  narrator.exchange(call, answer, { deliveryId });
  const { event } = await subscribed.receiver.receive(
    'a test event',
    ({ idempotencyKey }) => idempotencyKey === deliveryId,
    DELIVERY_LIMIT_MS,
  );
  narrator.facts({ eventType: textOf(event, 'eventType') });
}

/** The endpoint is gone while the events of the last hour are sent once more. */
async function bePaused(tour: Tour, subscribed: Subscribed): Promise<void> {
  const { narrator } = tour;
  narrator.step('Have the events of the last hour sent again, to an endpoint that says 410');
  subscribed.receiver.isGone = true;
  const json = { from: new Date(Date.now() - REPLAYED_MS).toISOString() };
  const { call, answer } = await ask(tour, subscribed, {
    method: 'POST',
    path: '/replay',
    json,
    status: 202,
  });
  narrator.exchange(call, answer, { replayId: textOf(jsonOf(answer), 'replayId') });
  await eventually(
    async () => {
      const read = await ask(tour, subscribed, { method: 'GET', status: 200 });
      const found = jsonOf(read.answer);
      if (textOf(found, 'status') !== 'PAUSED') return undefined;
      narrator.exchange(read.call, read.answer, {
        status: 'PAUSED',
        pausedReason: textOf(found, 'pausedReason'),
      });
      return found;
    },
    { what: 'the subscription PAUSED', limit: DELIVERY_LIMIT_MS, every: 250 },
  );
}

async function resume(tour: Tour, subscribed: Subscribed): Promise<void> {
  const { narrator } = tour;
  narrator.step('End the pause: nothing is lost');
  subscribed.receiver.isGone = false;
  const { call, answer } = await ask(tour, subscribed, { method: 'POST', path: '/resume', status: 200 });
  const resumed = jsonOf(answer);
  const status = textOf(resumed, 'status');
  expectThat(status === 'ACTIVE', 'status ACTIVE', status);
  const replayId = textOf(resumed, 'replayId');
  narrator.exchange(call, answer, { status, replayId });
  await eventually(
    async () => {
      const path = `/replays/${replayId}`;
      const read = await ask(tour, subscribed, { method: 'GET', path, status: 200 });
      const replay = jsonOf(read.answer);
      if (textOf(replay, 'status') !== 'COMPLETED') return undefined;
      narrator.exchange(read.call, read.answer, { status: 'COMPLETED', events: numberOf(replay, 'events') });
      return replay;
    },
    { what: 'the replay COMPLETED', limit: DELIVERY_LIMIT_MS, every: 250 },
  );
}
