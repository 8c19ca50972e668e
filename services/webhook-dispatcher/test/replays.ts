import { until } from '@kontoport/embedded/wait';
import { WEBHOOKS } from '../src/events/webhook-event.wire.ts';
import { dayOf } from '../src/retention/partition-day.model.ts';
import { createPartitions } from '../src/retention/partitions.repository.ts';
import type { Scene, Subscriber } from './scene.ts';

/** A replay as the service returns it. */
export interface WireReplay {
  replayId: string;
  cause: string;
  status: string;
  from: string;
  to: string;
  events: number;
  deliveries: number;
  startedAt: string;
  finishedAt?: string;
}

/** Milliseconds. */
export const MINUTE = 60_000;
/** The instant that many milliseconds ago. */
export const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString();

/** Asks for a replay, of the last hour unless another range is given. */
export const replay = ({ client, subscription }: Subscriber, body: object = { from: ago(60 * MINUTE) }) =>
  client.ask('POST', `/${subscription.id}/replay`, body);

/** Begins a replay. */
export async function begun(subscriber: Subscriber, body?: object): Promise<WireReplay> {
  const { status, body: answer } = await replay(subscriber, body);
  expect([status, answer]).toMatchObject([202, { status: 'RUNNING', cause: 'ASKED' }]);
  return answer as WireReplay;
}

/** Returns the state of a replay. */
export async function standing({ client, subscription }: Subscriber, replayId: string): Promise<WireReplay> {
  const { status, body } = await client.ask('GET', `/${subscription.id}/replays/${replayId}`);
  expect(status).toBe(200);
  return body as WireReplay;
}

/** Waits until a replay is completed. */
export const completed = (
  subscriber: Subscriber,
  { replayId }: { replayId?: string | undefined },
): Promise<WireReplay> =>
  until(
    async () => {
      const found = await standing(subscriber, replayId!);
      return found.status === 'COMPLETED' && found;
    },
    { what: 'the replay to complete', timeout: 120_000 },
  );

/** More in one statement might take longer than a statement may. */
const STORED_AT_ONCE = 5_000;

/** Events as the consumer stores them, one after the other up to now, without deliveries; oldest first. */
export async function storeEvents(
  { parts }: Pick<Scene, 'parts'>,
  { clientId }: { clientId: string },
  { count = 1, type = 'Posting.CreatedV1', apart = '1 second' } = {},
): Promise<string[]> {
  // Shortly after midnight they are of the day before, which nobody else may have made.
  await createPartitions(parts, [dayOf(new Date(Date.now() - 24 * 60 * MINUTE)), dayOf(new Date())]);
  const { eventTime, data } = WEBHOOKS.find(({ eventType }) => eventType === type)!.example;
  const ids: string[] = [];
  for (let left = count; left > 0; left -= STORED_AT_ONCE) {
    const { rows } = await parts.pool.query<{ id: string }>(
      `INSERT INTO event (id, time, type, audience, content)
       SELECT id, now() - n * $4::interval, $2, ARRAY[$1::uuid],
         json_build_object('idempotencyKey', id, 'eventTime', $6::text, 'eventType', $2::text, 'data', $7::json)::text
       FROM (SELECT n, gen_random_uuid() AS id FROM generate_series($3::int, $5::int, -1) AS n) AS made
       RETURNING id`,
      [clientId, type, left, apart, Math.max(1, left - STORED_AT_ONCE + 1), eventTime, JSON.stringify(data)],
    );
    ids.push(...rows.map(({ id }) => id));
  }
  return ids;
}

/** The keys of what has arrived, as it came. */
export const keysOf = ({ receiver }: Subscriber): string[] =>
  receiver.received.map(({ body }) => body.idempotencyKey);

/** Waits until the given number of deliveries of the subscription has ended. */
export const endedOf = async (
  { deliveriesOf }: Pick<Scene, 'deliveriesOf'>,
  { subscription }: Subscriber,
  count: number,
): Promise<unknown> =>
  until(
    async () => {
      const found = await deliveriesOf(subscription);
      return found.length === count && found.every(({ status }) => status !== 'pending');
    },
    { what: `${count} deliveries to end` },
  );
