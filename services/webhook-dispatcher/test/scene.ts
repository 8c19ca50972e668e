import type { Role } from '@kontoport/certificates';
import { until } from '@kontoport/embedded/wait';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { type Answer, type Receiver, startReceiver } from './receiver.ts';
import {
  type Parts,
  postingFor,
  publish,
  type StartedService,
  startParts,
  webhookClient,
  type WireSubscription,
} from './running.ts';

/** A TPP with one subscription to postings and the receiver behind it. */
export interface Subscriber {
  tpp: TestTpp;
  receiver: Receiver;
  client: ReturnType<typeof webhookClient>;
  subscription: WireSubscription;
}

/** A delivery as the database has it. */
export interface StoredDelivery {
  status: string;
  attempts: { startedAt: string; outcome: string; httpStatus?: number; milliseconds: number }[];
}

/** The parts with a running dispatcher, and the steps that most tests take. */
export interface Scene {
  parts: Parts;
  service: StartedService;
  /** Ends the dispatcher and starts another; `env` goes over the common environment. */
  restart(env?: Record<string, string>): Promise<void>;
  subscriber(
    answer?: Answer,
    options?: { roles?: readonly Role[]; organizationIdentifier?: string; eventTypes?: readonly string[] },
  ): Promise<Subscriber>;
  /** Publishes a posting for a new subscriber and waits for its webhook: earlier webhooks have arrived by then. */
  fence(among?: readonly TestTpp[]): Promise<void>;
  deliveriesOf(subscription: WireSubscription): Promise<StoredDelivery[]>;
  /** Waits until a delivery of the subscription has this status, and returns it. */
  settled(subscription: WireSubscription, status: string): Promise<StoredDelivery>;
  close(): Promise<void>;
}

/** Waits until a receiver has the given number of webhooks. */
export const arrived = (receiver: Receiver, count = 1): Promise<true> =>
  until(() => receiver.received.length >= count, {
    what: `${count} webhooks to arrive`,
    timeout: 60_000 + 50 * count,
  });

/** @param env goes over the common environment of the service */
export async function openScene(env: Record<string, string> = {}): Promise<Scene> {
  const parts = await startParts();
  const receivers: Receiver[] = [];

  const subscriber: Scene['subscriber'] = async (answer, { eventTypes, ...options } = {}) => {
    const [tpp, receiver] = await Promise.all([parts.peers.addTpp(options), startReceiver(answer)]);
    receivers.push(receiver);
    const client = webhookClient(() => scene.service.origin, tpp);
    return {
      tpp,
      receiver,
      client,
      subscription: await client.subscribe(receiver.url, undefined, eventTypes),
    };
  };

  const deliveriesOf = async ({ internalId }: WireSubscription): Promise<StoredDelivery[]> => {
    const { rows } = await parts.pool.query<StoredDelivery>(
      `SELECT status, made AS attempts FROM (
         SELECT event_time, event_id, 'pending' AS status, made FROM delivery WHERE subscription_id = $1
         UNION ALL SELECT event_time, event_id, status, made FROM delivery_log WHERE subscription_id = $1
       ) AS all_of_them ORDER BY event_time, event_id`,
      [internalId],
    );
    return rows;
  };

  const scene: Scene = {
    parts,
    service: await parts.startService(env),
    async restart(changes) {
      await scene.service.stop();
      scene.service = await parts.startService(changes);
    },
    subscriber,
    async fence(among = []) {
      const witness = await subscriber();
      await publish(parts.producer, [postingFor([witness.tpp, ...among])]);
      await arrived(witness.receiver);
    },
    deliveriesOf,
    settled: (subscription, status) =>
      until(async () => (await deliveriesOf(subscription)).find((delivery) => delivery.status === status), {
        what: `a delivery to be ${status}`,
      }),
    async close() {
      // The receivers close first: the dispatcher would wait for requests that they hold open.
      await Promise.all(receivers.map((receiver) => receiver.close()));
      await parts.close();
    },
  };
  return scene;
}
