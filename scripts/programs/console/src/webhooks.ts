import { html } from '@kontoport/pages';
import type { Session } from '@kontoport/profile';
import type { Request } from 'express';
import type { Screen } from './screen.ts';
import { button, nextPage, table, time } from './table.ts';

interface Subscription {
  id: string;
  callbackUrl: string;
  eventTypes: string[];
  status: string;
  pausedReason?: string;
}

interface Delivery {
  deliveryId: string;
  eventType: string;
  eventTime: string;
  status: string;
  attempts: number;
  nextAttemptAt?: string;
}

interface Attempt {
  number: number;
  startedAt: string;
  milliseconds: number;
  outcome: string;
  reason?: string;
  httpStatus?: number;
  responseExcerpt?: string;
}

const SUBSCRIPTIONS = '/v1/webhook-subscriptions';
const idOf = ({ params }: Request): string => encodeURIComponent(String(params.id));

/** Shows the subscriptions of the client (GET /v1/webhook-subscriptions). */
export async function webhooksPage(session: Session): Promise<Screen> {
  const { subscriptions } = await session.ask('GET', SUBSCRIPTIONS);
  return {
    title: 'Webhooks',
    body: table(
      ['Subscription', 'Callback URL', 'Events', 'State'],
      (subscriptions as Subscription[]).map(({ id, callbackUrl, eventTypes, status, pausedReason }) => [
        html`<a href="/webhooks/${encodeURIComponent(id)}">${id}</a>`,
        callbackUrl,
        eventTypes.join(', '),
        [status, pausedReason].filter(Boolean).join(': '),
      ]),
      'The client has no subscription. npx kontoport listen makes one.',
    ),
  };
}

/** Shows the deliveries of a subscription, newest first, with a test, a replay and a resumption. */
export async function subscriptionPage(session: Session, request: Request): Promise<Screen> {
  const id = idOf(request);
  const { cursor } = request.query;
  const page = typeof cursor === 'string' ? `&cursor=${encodeURIComponent(cursor)}` : '';
  const { deliveries, nextCursor } = await session.ask(
    'GET',
    `${SUBSCRIPTIONS}/${id}/deliveries?limit=50${page}`,
  );
  return {
    title: 'Deliveries',
    body: html`<div class="buttons">
        ${button(`/webhooks/${id}/test`, 'Send a test event')}
        ${button(`/webhooks/${id}/replay`, 'Replay the last 24 hours')}
        ${button(`/webhooks/${id}/resume`, 'Resume')}
      </div>
      ${table(
        ['Time', 'Event', 'State', 'Attempts', 'Next attempt', 'Delivery'],
        (deliveries as Delivery[]).map((each) => [
          time(each.eventTime),
          each.eventType,
          each.status,
          String(each.attempts),
          each.nextAttemptAt === undefined ? '' : time(each.nextAttemptAt),
          html`<a href="/webhooks/${id}/${each.deliveryId}">${each.deliveryId}</a>`,
        ]),
        'The subscription has no deliveries.',
      )}
      ${nextPage(`/webhooks/${id}`, nextCursor)}`,
  };
}

/** Shows a delivery with its attempts. */
export async function deliveryPage(session: Session, request: Request): Promise<Screen> {
  const [id, delivery] = [idOf(request), encodeURIComponent(String(request.params.delivery))];
  const { eventType, status, attempts } = await session.ask(
    'GET',
    `${SUBSCRIPTIONS}/${id}/deliveries/${delivery}`,
  );
  return {
    title: `Delivery of ${String(eventType)}`,
    body: html`<p>State: <strong>${String(status)}</strong></p>
      <div class="buttons">${button(`/webhooks/${id}/${delivery}/resend`, 'Send again')}</div>
      <h2>Attempts</h2>
      ${table(
        ['Attempt', 'Time', 'Took', 'Outcome', 'Answer of the receiver'],
        (attempts as Attempt[]).map((each) => [
          String(each.number),
          time(each.startedAt),
          `${each.milliseconds} ms`,
          [each.outcome, each.reason].filter(Boolean).join(': '),
          html`${each.httpStatus} <code>${each.responseExcerpt}</code>`,
        ]),
        'No attempt was made yet.',
      )}
      <p><a href="/webhooks/${id}">All deliveries</a></p>`,
  };
}
