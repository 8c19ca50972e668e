import { randomUUID } from 'node:crypto';
import { expectStatus, expectThat, jsonOf, numberOf, objectOf, textOf } from './expectations.ts';
import type { ChosenAccount } from './read-accounts.ts';
import type { Session, Tour } from './script.ts';
import type { Call } from './tpp-client.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

const HELD = { amount: -249.95, currency: 'DKK', title: 'Nordlys Dagligvarer', type: 'card' };
const DAY_SECONDS = 86_400;
const DELIVERY_LIMIT_MS = 60_000;

/** A card payment is pending for a day, and the provider's own clock need not wait for it (§Sandbox). */
export async function moveClock(
  { sandbox, tpp, narrator }: Tour,
  { session, account, receiver }: { session: Session; account: ChosenAccount; receiver: WebhookReceiver },
): Promise<void> {
  const { authorization } = session;
  const transactionId = randomUUID();
  narrator.step('Hold a card payment for a day, in the sandbox');
  const hold: Call = {
    method: 'POST',
    url: `${sandbox.baseUrl}/sandbox/accounts/${account.id}/authorizations`,
    json: { transactionId, ...HELD, ends: { outcome: 'settle', after: 'P1D' } },
    authorization,
  };
  const held = await tpp.call(hold);
  expectStatus(held, 201);
  narrator.exchange(hold, held);

  narrator.step('Move the clock on by a day, and be told that it is posted');
  const move: Call = {
    method: 'POST',
    url: `${sandbox.baseUrl}/sandbox/clock`,
    json: { advance: 'P1D' },
    authorization,
  };
  const moved = await tpp.call(move);
  expectStatus(moved, 200);
  const clock = jsonOf(moved);
  const ahead = numberOf(clock, 'aheadSeconds');
  expectThat(ahead === DAY_SECONDS, `a clock ${DAY_SECONDS} seconds ahead`, ahead);
  narrator.exchange(move, moved, { now: textOf(clock, 'now') });
  const { event } = await receiver.receive(
    'a webhook for the card payment',
    ({ data }) => (data as { ledgerPostingId?: unknown } | undefined)?.ledgerPostingId === transactionId,
    DELIVERY_LIMIT_MS,
  );
  narrator.facts({
    eventTime: textOf(event, 'eventTime'),
    'data.postingTime': textOf(objectOf(event, 'data'), 'postingTime'),
  });
  narrator.note('eventTime is real, postingTime is by the clock that was moved');
}
