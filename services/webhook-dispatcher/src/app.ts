import type { App } from '@kontoport/service';
import type { Deps } from './deps.ts';
import { eventConsumers } from './events/events.consumer.ts';
import { deliveryLogRoutes } from './log/delivery-log.routes.ts';
import { forgetDeletedClients } from './subscriptions/forget-clients.ts';
import { subscriptionRoutes } from './subscriptions/subscriptions.routes.ts';

/** Everything that runs in the webhook dispatcher. */
export function app(deps: Deps): App {
  const { db, kafka, deadLetters, dispatcher, history } = deps;
  return {
    routes: { base_url: [...subscriptionRoutes(deps), ...deliveryLogRoutes(deps)] },
    consumers: { kafka, deadLetters, topics: eventConsumers(deps) },
    loops: [history.loop, ...dispatcher.loops, forgetDeletedClients(deps)],
    readiness: { database: () => db.delivery.readiness() },
  };
}
