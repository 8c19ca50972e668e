import type { App } from '@kontoport/service';
import { asyncFanOut } from './async-fan-out/async-fan-out.ts';
import { watchFanOutBacklog } from './async-fan-out/watch-backlog.ts';
import type { Deps } from './deps.ts';
import { eventConsumers, WEBHOOKS } from './events/events.consumer.ts';
import { deliveryLogRoutes } from './log/delivery-log.routes.ts';
import { replayRoutes } from './replays/replays.routes.ts';
import { walkReplays } from './replays/walk-replays.ts';
import { deleteSubscriptionsOfClients } from './subscriptions/delete-subscriptions-of-clients.ts';
import { subscriptionRoutes } from './subscriptions/subscriptions.routes.ts';
import { testEventRoute } from './test-events/test-event.routes.ts';

/** Everything that runs in the webhook dispatcher. */
export function app(deps: Deps): App {
  const { db, kafka, deadLetters, dispatcher, retention, reconciler, unclaimed, keys } = deps;
  const replays = walkReplays(deps);
  const fanOut = asyncFanOut(deps);
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
    consumers: { kafka, deadLetters, topics: eventConsumers({ ...deps, fanOut }) },
    usage: db.management,
    loops: [
      retention.loop,
      ...dispatcher.loops,
      replays,
      fanOut,
      watchFanOutBacklog(deps),
      deleteSubscriptionsOfClients(deps),
      reconciler,
      unclaimed,
      keys.loop,
    ],
    readiness: { database: () => db.delivery.readiness(), 'subscription keys': () => keys.readiness() },
  };
}
