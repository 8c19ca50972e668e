import type { TopicConsumer } from '@kontoport/events';
import type { Route } from '@kontoport/gate';
import type { Loop } from '@kontoport/runtime';
import type { Deps } from './deps.ts';
import { eventConsumers } from './events/events.consumer.ts';
import { forgetDeletedClients } from './subscriptions/forget-clients.ts';
import { subscriptionRoutes } from './subscriptions/subscriptions.routes.ts';

/** Everything that runs in the service. */
export function app(deps: Deps): { routes: Route[]; consumers: TopicConsumer[]; loops: Loop[] } {
  return {
    routes: subscriptionRoutes({ ...deps, pool: deps.managementPool }),
    consumers: eventConsumers(deps),
    loops: [...deps.dispatcher.loops, forgetDeletedClients(deps)],
  };
}
