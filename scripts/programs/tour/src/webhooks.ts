import { randomUUID } from 'node:crypto';
import { expectThat, numberOf, objectOf, textOf } from './expectations.ts';
import { masked } from './narrator.ts';
import { api, type Asked, eventually, LIMIT_MS, PAYMENT, type SignedIn, type Visit } from './script.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

const EVENT_TYPE = 'Posting.CreatedV1';
const REPLAYED_MS = 60 * 60_000;
const HELD = { amount: -249.95, currency: 'DKK', title: 'Nordlys Dagligvarer', type: 'card' };
const DAY_SECONDS = 86_400;

/** Subscribes the provider's receiver to events (§4.6). @returns the id of the subscription */
export async function subscribe(tour: SignedIn, receiver: WebhookReceiver): Promise<string> {
  await tour.narrator.chapter('Subscribe to events');
  const id = `tour-${randomUUID()}`;
  const asked = await api(tour, {
    method: 'POST',
    path: `/v1/webhook-subscriptions/${id}`,
    json: { callbackUrl: receiver.url, eventTypes: [EVENT_TYPE] },
    statuses: [201],
  });
  const key = textOf(asked.json, 'subscriptionKey');
  expectThat(/^[A-Za-z]{32}$/.test(key), 'a subscriptionKey of 32 letters', `${key.length} characters`);
  receiver.trust(id, key);
  tour.narrator.exchange(asked, { id, status: textOf(asked.json, 'status'), subscriptionKey: masked(key) });
  return id;
}

/** Receives the posting of the payment as a webhook, and verifies its signature over the raw bytes (§5.8). */
export async function receiveEvent(tour: Visit, posted: { id: string }): Promise<void> {
  const { narrator, receiver, subscriptionId, account } = tour;
  await narrator.chapter('Receive the webhook and verify its signature');
  const { event, signature, bytes } = await receiver.receive(
    'a webhook for the payment',
    (received) => received.subscriptionId === subscriptionId && received.eventType === EVENT_TYPE,
    LIMIT_MS,
  );
  const data = objectOf(event, 'data');
  const amount = objectOf(data, 'amount');
  expectThat(data.accountNumber === account.bban, `accountNumber ${account.bban}`, data.accountNumber);
  expectThat(data.ledgerPostingId === posted.id, `ledgerPostingId ${posted.id}`, data.ledgerPostingId);
  expectThat(
    amount.value === PAYMENT.amount && amount.currency === PAYMENT.currency && amount.credit === false,
    `a debit of ${PAYMENT.amount} ${PAYMENT.currency}`,
    amount,
  );
  narrator.note(`POST to ${receiver.url}, ${bytes} bytes`);
  narrator.facts({
    'X-HMAC-Signature': `${signature.slice(0, 16)}… verified`,
    eventType: EVENT_TYPE,
    eventTime: textOf(event, 'eventTime'),
    idempotencyKey: textOf(event, 'idempotencyKey'),
    'data.amount': JSON.stringify(amount),
    'data.postingTime': textOf(data, 'postingTime'),
  });
}

/** Holds a card payment for a day, and moves the sandbox's clock by that day (§Sandbox). */
export async function moveClock(tour: Visit): Promise<void> {
  const { narrator, receiver, account } = tour;
  await narrator.chapter('Hold a card payment for a day, and move the clock: it is posted');
  const transactionId = randomUUID();
  const held = await api(tour, {
    method: 'POST',
    path: `/sandbox/accounts/${account.id}/authorizations`,
    json: { transactionId, ...HELD, ends: { outcome: 'settle', after: 'P1D' } },
    statuses: [201],
  });
  narrator.exchange(held);
  const moved = await api(tour, { method: 'POST', path: '/sandbox/clock', json: { advance: 'P1D' } });
  const ahead = numberOf(moved.json, 'aheadSeconds');
  expectThat(ahead === DAY_SECONDS, `a clock ${DAY_SECONDS} seconds ahead`, ahead);
  narrator.exchange(moved, { now: textOf(moved.json, 'now') });
  const { event } = await receiver.receive(
    'a webhook for the card payment',
    ({ data }) => (data as { ledgerPostingId?: unknown } | undefined)?.ledgerPostingId === transactionId,
    LIMIT_MS,
  );
  narrator.facts({
    eventTime: textOf(event, 'eventTime'),
    'data.postingTime': textOf(objectOf(event, 'data'), 'postingTime'),
  });
  narrator.note('eventTime is real, postingTime is by the clock that was moved');
}

/** Tests the receiver, lets it fail while the events of the last hour are sent again, and resumes (§4.6). */
export async function repairWebhooks(tour: Visit): Promise<void> {
  const { narrator, receiver } = tour;
  const call = (method: 'GET' | 'POST', path = '', json?: unknown): Promise<Asked> =>
    api(tour, {
      method,
      path: `/v1/webhook-subscriptions/${tour.subscriptionId}${path}`,
      json,
      statuses: [200, 202],
    });
  await narrator.chapter('Test the receiver, let it fail during a replay, and resume: nothing is lost');
  const tested = await call('POST', '/test');
  const deliveryId = textOf(tested.json, 'deliveryId');
  narrator.exchange(tested, { deliveryId });
  const { event } = await receiver.receive(
    'a test event',
    ({ idempotencyKey }) => idempotencyKey === deliveryId,
    LIMIT_MS,
  );
  narrator.facts({ eventType: textOf(event, 'eventType') });

  narrator.step('Replay the last hour to a receiver that answers 410: the subscription pauses');
  receiver.isGone = true;
  const replayed = await call('POST', '/replay', { from: new Date(Date.now() - REPLAYED_MS).toISOString() });
  narrator.exchange(replayed, { replayId: textOf(replayed.json, 'replayId') });
  const paused = await eventually('the subscription PAUSED', async () => {
    const read = await call('GET');
    return textOf(read.json, 'status') === 'PAUSED' ? read : undefined;
  });
  narrator.exchange(paused, { status: 'PAUSED', pausedReason: textOf(paused.json, 'pausedReason') });

  narrator.step('End the pause');
  receiver.isGone = false;
  const resumed = await call('POST', '/resume');
  const status = textOf(resumed.json, 'status');
  expectThat(status === 'ACTIVE', 'status ACTIVE', status);
  const replayId = textOf(resumed.json, 'replayId');
  narrator.exchange(resumed, { status, replayId });
  const done = await eventually('the replay COMPLETED', async () => {
    const read = await call('GET', `/replays/${replayId}`);
    return textOf(read.json, 'status') === 'COMPLETED' ? read : undefined;
  });
  narrator.exchange(done, { status: 'COMPLETED', events: numberOf(done.json, 'events') });
}
