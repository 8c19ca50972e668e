import type { App } from '@kontoport/service';
import { makeDeferredDeliveries } from './deferred/make-deferred.ts';
import { watchDeferred } from './deferred/watch-deferred.ts';
import type { Deps } from './deps.ts';
import { eventConsumers, WEBHOOKS } from './events/events.consumer.ts';
import { deliveryLogRoutes } from './log/delivery-log.routes.ts';
import { replayRoutes } from './replays/replays.routes.ts';
import { walkReplays } from './replays/walk-replays.ts';
import { forgetDeletedClients } from './subscriptions/forget-clients.ts';
import { subscriptionRoutes } from './subscriptions/subscriptions.routes.ts';
import { testEventRoute } from './test-events/test-event.routes.ts';

/** Everything that runs in the webhook dispatcher. */
export function app(deps: Deps): App {
  const { db, kafka, deadLetters, dispatcher, history, reconciler, unclaimed, keys } = deps;
  const replays = walkReplays(deps);
  const deferred = makeDeferredDeliveries(deps);
  return {
    routes: {
      base_url: [
        ...subscriptionRoutes(deps),
        ...deliveryLogRoutes(deps),
        ...replayRoutes({ ...deps, replays }),
        testEventRoute(deps),
      ],
    },
    webhooks: { base_url: WEBHOOKS },
    consumers: { kafka, deadLetters, topics: eventConsumers({ ...deps, deferred }) },
    usage: db.management,
    loops: [
      history.loop,
      ...dispatcher.loops,
      replays,
      deferred,
      watchDeferred(deps),
      forgetDeletedClients(deps),
      reconciler,
      unclaimed,
      keys.loop,
    ],
    readiness: { database: () => db.delivery.readiness(), 'subscription keys': () => keys.readiness() },
  };
}
