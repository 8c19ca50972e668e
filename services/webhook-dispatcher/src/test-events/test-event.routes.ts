import type { SealingKeys } from '@kontoport/database';
import { type Route, route } from '@kontoport/gate';
import type { QueueToClaim } from '../deliveries/delivery.model.ts';
import type { Db } from '../gen/db.ts';
import { detailedToWire } from '../log/delivery-log.routes.ts';
import { deliveryAnswer, deliveryExample } from '../log/delivery-log.wire.ts';
import type { PartitionRetention } from '../retention/partition-retention.ts';
import { named, subscriptionOfPath } from '../subscriptions/subscriptions.routes.ts';
import { sendTestEvent } from './send-test-event.ts';

interface TestEventDeps {
  db: { management: Db };
  retention: Pick<PartitionRetention, 'ensurePartitions'>;
  secretsKeys: SealingKeys;
  dispatcher: { wake(queues: readonly QueueToClaim[]): void };
}

/** A webhook that a client requests to test its receiver (§4.6). */
export function testEventRoute(deps: TestEventDeps): Route {
  return route({
    method: 'POST',
    ...named,
    path: `${named.path}/test`,
    clause: ['§4.6', '§6'],
    summary: 'Send a test event to a webhook subscription',
    description:
      'Sends a `Webhook.TestV1` to this subscription only. It is signed, retried and logged like every other event. A subscription accepts one test event per second.',
    security: { kind: 'token' },
    resource: subscriptionOfPath(deps),
    answers: {
      202: {
        description: 'The pending delivery.',
        json: deliveryAnswer,
        example: { ...deliveryExample, eventType: 'Webhook.TestV1', attempts: [] },
      },
    },
    refusals: ['STATUS_INVALID', 'RATE_LIMITED'],
    handler: async ({ resource: { clientId, id, internalId: subscriptionId }, now }) => {
      const made = await sendTestEvent(deps, { owner: { clientId, id }, now });
      deps.dispatcher.wake([{ subscriptionId, clientId }]);
      return { status: 202, json: detailedToWire(deps, made) };
    },
  });
}
