import { unseal } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import { type Route, route } from '@kontoport/gate';
import type pg from 'pg';
import type { EgressRule } from '@kontoport/egress';
import type { PrismaClient } from '../gen/prisma/client.ts';
import { createSubscription } from './create-subscription.ts';
import { keyContext, type Subscription, SUBSCRIPTION_ID } from './subscription.model.ts';
import { deleteSubscription, findSubscription, listSubscriptions } from './subscription.repository.ts';
import { subscriptionBody, subscriptionToWire } from './subscription.wire.ts';
import { TEXTS } from '../texts.ts';

const COLLECTION = '/v1/webhook-subscriptions';

/** Ordinary OAuth 2.0 credentials, no scope (§5.7). */
const ANY_TOKEN = { kind: 'token' } as const;

/** Webhook management (§4.6). */
export function subscriptionRoutes(deps: {
  prisma: PrismaClient;
  pool: pg.Pool;
  secretsKey: Uint8Array;
  egress: EgressRule;
  dispatcher: { stop(subscriptionId: string): void };
}): Route[] {
  const { prisma, pool, secretsKey, egress, dispatcher } = deps;
  const wireOf = (found: Subscription) =>
    subscriptionToWire(
      found,
      unseal(secretsKey, found.sealedKey, keyContext(found.internalId)).toString('latin1'),
    );

  return [
    route({
      method: 'POST',
      path: `${COLLECTION}/:id`,
      security: ANY_TOKEN,
      body: { json: subscriptionBody(egress) },
      async handler({ proven, params, body, now }) {
        const { clientId } = proven.client;
        const created = await createSubscription(deps, { ...body, clientId, id: params.id!, now });
        return { status: 201, json: subscriptionToWire(created.subscription, created.subscriptionKey) };
      },
    }),
    route({
      method: 'GET',
      path: `${COLLECTION}/:id`,
      security: ANY_TOKEN,
      async handler({ proven, params }) {
        const found = await findSubscription(prisma, { clientId: proven.client.clientId, id: idOf(params) });
        if (found === undefined) throw unknownSubscription();
        return { status: 200, json: wireOf(found) };
      },
    }),
    route({
      method: 'GET',
      path: COLLECTION,
      security: ANY_TOKEN,
      async handler({ proven }) {
        const found = await listSubscriptions(prisma, proven.client.clientId);
        return { status: 200, json: { subscriptions: found.map(wireOf) } };
      },
    }),
    route({
      method: 'DELETE',
      path: `${COLLECTION}/:id`,
      security: ANY_TOKEN,
      async handler({ proven, params }) {
        const deleted = await deleteSubscription(pool, {
          clientId: proven.client.clientId,
          id: idOf(params),
        });
        if (deleted === undefined) throw unknownSubscription();
        dispatcher.stop(deleted);
        return { status: 204 };
      },
    }),
  ];
}

/** The id of the path. One that nobody can have chosen is not looked up: the database would not take every character. */
function idOf({ id = '' }: Readonly<Record<string, string>>): string {
  if (!SUBSCRIPTION_ID.test(id)) throw unknownSubscription();
  return id;
}

/** The same for an id that is unknown, deleted or another client's. */
function unknownSubscription(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('subscription-unknown'));
}
