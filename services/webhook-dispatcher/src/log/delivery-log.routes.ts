import { type SealingKeys, unseal } from '@kontoport/database';
import { type Route, route } from '@kontoport/gate';
import { uuid } from '@kontoport/http';
import { excerptContext } from '../deliveries/delivery.model.ts';
import { receivableTypes } from '../event-types/webhook-event.model.ts';
import type { Db } from '../gen/db.ts';
import { named, subscriptionOfPath } from '../subscriptions/subscriptions.routes.ts';
import { deliveryUnknown, type DetailedDelivery } from './delivery-log.model.ts';
import { selectDeliveries, selectDelivery } from './delivery-log.repository.ts';
import {
  deliveryAnswer,
  deliveryExample,
  deliveryToWire,
  logAnswer,
  logExample,
  logQuery,
  logRequest,
  logToWire,
} from './delivery-log.wire.ts';
import { resendDelivery } from './resend-delivery.ts';

const ANY_TOKEN = { kind: 'token' } as const;

const ofDelivery = {
  params: named.params.extend({
    deliveryId: uuid.meta({ description: 'The `idempotencyKey` of the event.' }),
  }),
  unknown: deliveryUnknown,
} as const;

const answer = { json: deliveryAnswer, example: deliveryExample };

interface LogDeps {
  db: { management: Db };
  secretsKeys: SealingKeys;
}

/** The delivery log of a subscription, and the repetition of a delivery (§4.6). */
export function deliveryLogRoutes(deps: LogDeps): Route[] {
  return [listRoute(deps), readRoute(deps), resendRoute(deps)];
}

/** A delivery with its attempts, as its owner sees it. */
export function detailedToWire({ secretsKeys }: Pick<LogDeps, 'secretsKeys'>, delivery: DetailedDelivery) {
  const context = excerptContext(delivery);
  return deliveryToWire(delivery, (sealed) =>
    unseal(secretsKeys, Buffer.from(sealed, 'base64'), context).toString(),
  );
}

function listRoute(deps: LogDeps): Route {
  return route({
    method: 'GET',
    ...named,
    path: `${named.path}/deliveries`,
    clause: ['§4.6', '§6'],
    summary: 'List the deliveries of a webhook subscription, newest event first',
    description:
      'As long as they are kept: 30 days. With `status` or `eventType` pages may be short, even empty.',
    security: ANY_TOKEN,
    query: logQuery,
    resource: subscriptionOfPath(deps),
    answers: { 200: { description: 'A page of the log.', json: logAnswer, example: logExample } },
    refusals: ['CURSOR_INVALID'],
    handler: async ({ resource: { clientId, id }, query }) => {
      const page = await selectDeliveries(deps.db.management, { clientId, id }, logRequest(query));
      return { status: 200, json: logToWire(page) };
    },
  });
}

function readRoute(deps: LogDeps): Route {
  return route({
    method: 'GET',
    path: `${named.path}/deliveries/:deliveryId`,
    ...ofDelivery,
    clause: ['§4.6', '§6'],
    summary: 'Read a delivery of a webhook subscription with its attempts',
    security: ANY_TOKEN,
    resource: async ({ principal, params: { id, deliveryId } }) => {
      const { clientId } = principal.client;
      const found = await selectDelivery(deps.db.management, { clientId, id }, deliveryId);
      if (found === undefined) throw deliveryUnknown();
      return found;
    },
    answers: { 200: { description: 'The delivery.', ...answer } },
    handler: async ({ resource }) => ({ status: 200, json: detailedToWire(deps, resource) }),
  });
}

function resendRoute(deps: LogDeps): Route {
  return route({
    method: 'POST',
    path: `${named.path}/deliveries/:deliveryId/resend`,
    ...ofDelivery,
    clause: ['§4.6', '§6'],
    summary: 'Send a delivery of a webhook subscription again',
    description:
      'Restarts the schedule, with the same `idempotencyKey`. 409 while the delivery is pending, while the subscription ' +
      'is paused, and after 100 attempts.',
    security: ANY_TOKEN,
    resource: subscriptionOfPath(deps),
    answers: { 202: { description: 'The pending delivery.', ...answer } },
    refusals: ['STATUS_INVALID', 'SCOPE_INSUFFICIENT'],
    handler: async ({ principal, resource: { clientId, id, status }, params: { deliveryId } }) => {
      const owner = { clientId, id };
      const eventTypes = receivableTypes(principal.client);
      const order = { owner, eventId: deliveryId, eventTypes, isPaused: status === 'PAUSED' };
      const resent = await resendDelivery(deps, order);
      return { status: 202, json: detailedToWire(deps, resent) };
    },
  });
}
