import { randomInt, randomUUID } from 'node:crypto';
import { seal, type SealingKeys, unseal } from '@kontoport/database';
import type { EgressRule } from '@kontoport/egress';
import { ApiError } from '@kontoport/errors';
import { type Route, route } from '@kontoport/gate';
import { z } from 'zod';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import {
  keyContext,
  MAX_SUBSCRIPTIONS,
  newSubscriptionKey,
  requireRoles,
  type Subscription,
  subscriptionIdInvalid,
  type SubscriptionRequest,
  subscriptionUnknown,
} from './subscription.model.ts';
import {
  deleteSubscription,
  findSubscription,
  insertSubscription,
  listSubscriptions,
  replaceSubscription,
} from './subscription.repository.ts';
import {
  subscriptionAnswer,
  subscriptionBody,
  subscriptionBodyExample,
  subscriptionExample,
  subscriptionId,
  subscriptionsAnswer,
  subscriptionToWire,
} from './subscription.wire.ts';

const COLLECTION = '/v1/webhook-subscriptions';

/** Ordinary OAuth 2.0 credentials, no scope (§5.7). */
const ANY_TOKEN = { kind: 'token' } as const;

const params = z.object({ id: subscriptionId });

/** The path of a subscription. An id that nobody can have chosen is not looked up: the database would not take every character. */
export const named = { path: `${COLLECTION}/:id`, params, unknown: subscriptionUnknown } as const;

/** Dependencies of the routes that manage subscriptions. */
export interface SubscriptionDeps {
  db: { management: Db };
  secretsKeys: SealingKeys;
  egress: EgressRule;
  dispatcher: { stop(subscriptionId: string): void };
}

/** Webhook management (§4.6). */
export function subscriptionRoutes(deps: SubscriptionDeps): Route[] {
  return [createRoute(deps), readRoute(deps), listRoute(deps), replaceRoute(deps), deleteRoute(deps)];
}

/** A subscription with its key, as its owner sees it. */
export function wireOf({ secretsKeys }: Pick<SubscriptionDeps, 'secretsKeys'>, found: Subscription) {
  const key = unseal(secretsKeys, found.sealedKey, keyContext(found.internalId));
  return subscriptionToWire(found, key.toString('latin1'));
}

function createRoute(deps: SubscriptionDeps): Route {
  return route({
    method: 'POST',
    path: `${COLLECTION}/:id`,
    clause: ['§4.6', '§2.11'],
    summary: 'Create a webhook subscription under an id of your choice',
    description:
      'An id in use or used before, deleted ones included, is 409. A client has at most 100, and 1,000 ids in its life.',
    security: ANY_TOKEN,
    params,
    unknown: subscriptionIdInvalid,
    body: { json: subscriptionBody(deps.egress), example: subscriptionBodyExample },
    answers: {
      201: {
        description: 'The subscription, with the key that signs its deliveries.',
        json: subscriptionAnswer,
        example: subscriptionExample,
      },
    },
    refusals: ['DUPLICATE_ID', 'STATUS_INVALID', 'SCOPE_INSUFFICIENT'],
    handler: async ({ principal, params: { id }, body, now }) => {
      const { clientId } = principal.client;
      requireRoles(principal.client, body.eventTypes);
      const created = await createSubscription(deps, { ...body, clientId, id, now });
      return { status: 201, json: subscriptionToWire(created.subscription, created.subscriptionKey) };
    },
  });
}

/**
 * Creates a subscription with a key of its own (§4.6).
 * @throws ApiError DUPLICATE_ID for an id that the client uses or has ever used; STATUS_INVALID when it has too many, or has had.
 */
async function createSubscription(
  { db, secretsKeys }: { db: { management: Db }; secretsKeys: SealingKeys },
  request: SubscriptionRequest & { clientId: string; id: string; now: Date },
): Promise<{ subscription: Subscription; subscriptionKey: string }> {
  const { clientId, id, callbackUrl, eventTypes, now } = request;
  const internalId = randomUUID();
  const subscriptionKey = newSubscriptionKey((below) => randomInt(below));
  const sealedKey = seal(secretsKeys, subscriptionKey, keyContext(internalId));
  const subscription = { internalId, clientId, id, sealedKey, callbackUrl, eventTypes, createdAt: now };
  const outcome = await insertSubscription(db.management, subscription, MAX_SUBSCRIPTIONS);
  switch (outcome) {
    case 'duplicate':
      throw new ApiError('DUPLICATE_ID', TEXTS('id-used'));
    case 'too many':
      throw new ApiError('STATUS_INVALID', TEXTS('too-many', { most: MAX_SUBSCRIPTIONS.live }));
    case 'too many ids':
      throw new ApiError('STATUS_INVALID', TEXTS('too-many-ids', { most: MAX_SUBSCRIPTIONS.ids }));
    case 'created':
      return {
        subscription: { ...subscription, status: 'ACTIVE', pausedAt: null, pausedReason: null },
        subscriptionKey,
      };
  }
}

function readRoute(deps: SubscriptionDeps): Route {
  return route({
    method: 'GET',
    ...named,
    clause: ['§4.6', '§2.11'],
    summary: 'Read a webhook subscription',
    security: ANY_TOKEN,
    answers: {
      200: { description: 'The subscription.', json: subscriptionAnswer, example: subscriptionExample },
    },
    resource: subscriptionOfPath(deps),
    handler: async ({ resource }) => ({ status: 200, json: wireOf(deps, resource) }),
  });
}

function listRoute(deps: SubscriptionDeps): Route {
  return route({
    method: 'GET',
    path: COLLECTION,
    clause: ['§4.6', '§2.11'],
    summary: 'List the webhook subscriptions of the client',
    security: ANY_TOKEN,
    answers: {
      200: {
        description: 'All of them, oldest first.',
        json: subscriptionsAnswer,
        example: { subscriptions: [subscriptionExample] },
      },
    },
    handler: async ({ principal }) => {
      const found = await listSubscriptions(deps.db.management, principal.client.clientId);
      return { status: 200, json: { subscriptions: found.map((one) => wireOf(deps, one)) } };
    },
  });
}

function replaceRoute(deps: SubscriptionDeps): Route {
  return route({
    method: 'PUT',
    ...named,
    clause: ['§4.6', '§2.11', '§6'],
    summary: 'Replace callback URL and event types of a webhook subscription',
    description:
      'Replaces both; the key stays. The change applies to every POST that begins a second later, also of waiting ' +
      'deliveries. A paused subscription stays paused.',
    security: ANY_TOKEN,
    body: { json: subscriptionBody(deps.egress), example: subscriptionBodyExample },
    answers: {
      200: {
        description: 'The present subscription.',
        json: subscriptionAnswer,
        example: subscriptionExample,
      },
    },
    refusals: ['SCOPE_INSUFFICIENT'],
    resource: subscriptionOfPath(deps),
    handler: async ({ principal, params: { id }, body }) => {
      requireRoles(principal.client, body.eventTypes);
      const { clientId } = principal.client;
      const replaced = await replaceSubscription(deps.db.management, { ...body, clientId, id });
      if (replaced === undefined) throw subscriptionUnknown();
      return { status: 200, json: wireOf(deps, replaced) };
    },
  });
}

/** The subscription of the path, the token's own. */
export function subscriptionOfPath({ db }: Pick<SubscriptionDeps, 'db'>) {
  return async (request: { principal: { client: { clientId: string } }; params: { id: string } }) => {
    const { clientId } = request.principal.client;
    const found = await findSubscription(db.management, { clientId, ...request.params });
    if (found === undefined) throw subscriptionUnknown();
    return found;
  };
}

function deleteRoute({ db, dispatcher }: SubscriptionDeps): Route {
  return route({
    method: 'DELETE',
    ...named,
    clause: '§4.6',
    summary: 'Delete a webhook subscription',
    description: 'Its id cannot be used again.',
    security: ANY_TOKEN,
    answers: { 204: { description: 'The subscription is deleted; nothing more is sent for it.' } },
    handler: async ({ principal, params: { id } }) => {
      const deleted = await deleteSubscription(db.management, { clientId: principal.client.clientId, id });
      if (deleted === undefined) throw subscriptionUnknown();
      dispatcher.stop(deleted);
      return { status: 204 };
    },
  });
}
