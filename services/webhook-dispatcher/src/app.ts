import type { TopicConsumer } from '@kontoport/events';
import type { Route } from '@kontoport/gate';
import type { Deps } from './deps.ts';
import { postingsConsumer } from './postings/postings.consumer.ts';
import { subscriptionRoutes } from './subscriptions/subscriptions.routes.ts';

/** Everything through which the service can be reached. */
export function app(deps: Deps): { routes: Route[]; consumers: TopicConsumer[] } {
  return {
    routes: subscriptionRoutes({ ...deps, pool: deps.managementPool }),
    consumers: [postingsConsumer(deps)],
  };
}
