import { randomUUID } from 'node:crypto';
import { expectStatus, expectThat, jsonOf, objectOf, textOf } from './expectations.ts';
import { masked } from './narrator.ts';
import type { ChosenAccount } from './read-accounts.ts';
import { PAYMENT, type Session, type Tour } from './script.ts';
import type { Call } from './tpp-client.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

const EVENT_TYPE = 'Posting.CreatedV1';
const DELIVERY_LIMIT_MS = 60_000;

/** POST /v1/webhook-subscriptions/{id}, for the provider's own receiver. */
export async function subscribe(
  { sandbox, tpp, narrator }: Tour,
  session: Session,
  receiver: WebhookReceiver,
): Promise<{ id: string }> {
  narrator.step('Subscribe to events');
  const id = `tour-${randomUUID()}`;
  const call: Call = {
    method: 'POST',
    url: `${sandbox.baseUrl}/v1/webhook-subscriptions/${id}`,
    json: { callbackUrl: receiver.url, eventTypes: [EVENT_TYPE] },
    authorization: session.authorization,
  };
  const answer = await tpp.call(call);
  expectStatus(answer, 201);
  const subscription = jsonOf(answer);
  const key = textOf(subscription, 'subscriptionKey');
  expectThat(/^[A-Za-z]{32}$/.test(key), 'a subscriptionKey of 32 letters', `${key.length} characters`);
  receiver.trust(id, key);
  narrator.exchange(call, answer, {
    id,
    status: textOf(subscription, 'status'),
    subscriptionKey: masked(key),
  });
  return { id };
}

/** The posting of the payment arrives as a webhook, and its signature holds over the raw bytes. */
export async function receiveEvent(
  { narrator }: Tour,
  {
    receiver,
    subscription,
    account,
    posted,
  }: {
    receiver: WebhookReceiver;
    subscription: { id: string };
    account: ChosenAccount;
    posted: { id: string };
  },
): Promise<void> {
  narrator.step('Receive the webhook and verify its signature');
  const delivery = await receiver.receive(
    'a webhook for the payment',
    (event) => event.subscriptionId === subscription.id && event.eventType === EVENT_TYPE,
    DELIVERY_LIMIT_MS,
  );
  const { event } = delivery;
  const data = objectOf(event, 'data');
  const amount = objectOf(data, 'amount');
  expectThat(data.accountNumber === account.bban, `accountNumber ${account.bban}`, data.accountNumber);
  expectThat(data.ledgerPostingId === posted.id, `ledgerPostingId ${posted.id}`, data.ledgerPostingId);
  expectThat(
    amount.value === PAYMENT.amount && amount.currency === PAYMENT.currency && amount.credit === false,
    `a debit of ${PAYMENT.amount} ${PAYMENT.currency}`,
    amount,
  );
  narrator.note(`POST to ${receiver.url}, ${delivery.bytes} bytes`);
  narrator.facts({
    'X-HMAC-Signature': `${delivery.signature.slice(0, 16)}… verified`,
    eventType: EVENT_TYPE,
    eventTime: textOf(event, 'eventTime'),
    idempotencyKey: textOf(event, 'idempotencyKey'),
    'data.amount': JSON.stringify(amount),
    'data.postingTime': textOf(data, 'postingTime'),
  });
}
