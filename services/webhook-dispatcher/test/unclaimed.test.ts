import { randomUUID } from 'node:crypto';
import { openPlanning, type Planning } from '@kontoport/testing/statement-work';
import {
  type ClientQueues,
  inspectQueues,
  QueueWalk,
} from '../src/deliveries/subscription-queue.repository.ts';

let planning: Planning;

beforeAll(async () => {
  planning = await openPlanning('webhook-dispatcher');
});
afterAll(() => planning.close());

/** Seconds ago, or ahead where below 0; undefined: not at all. */
interface SubscriptionQueue {
  due: number;
  lease?: number;
  retry?: number;
  status?: 'PAUSED';
  client?: string;
}

/** The clients of these queues as each step of a walk finds them. */
async function looksAt(queues: readonly SubscriptionQueue[], most?: number): Promise<ClientQueues[][]> {
  const [tx] = planning.connections;
  await tx.query('BEGIN');
  try {
    for (const { due, lease, retry, status = 'ACTIVE', client } of queues)
      await tx.query(
        `WITH queue AS (
           INSERT INTO subscription (internal_id, client_id, id, sealed_key, callback_url, event_types, created_at,
             claim_id, lease_until, retry_at, status, paused_at, paused_reason)
           SELECT $1::uuid, coalesce($6::uuid, $1), $1::uuid::text, '\\x01', 'https://receiver.test/', '{}', now(),
             CASE WHEN $3::float8 IS NOT NULL THEN $1::uuid END, now() - $3 * interval '1 s', now() - $4::float8 * interval '1 s',
             $5, CASE WHEN $5 = 'PAUSED' THEN now() END, CASE WHEN $5 = 'PAUSED' THEN 'GONE' END
           RETURNING internal_id
         )
         INSERT INTO delivery (subscription_id, event_id, event_time, due_at)
         SELECT internal_id, gen_random_uuid(), now(), now() - due * interval '1 s'
         FROM queue, unnest(ARRAY[$2::float8, $2::float8 - 1]) AS due`,
        [randomUUID(), due, lease, retry, status, client],
      );
    const walk = new QueueWalk(most);
    const found: ClientQueues[][] = [];
    do found.push(await inspectQueues(tx, walk));
    while (!walk.isAtBeginning);
    return found;
  } finally {
    await tx.query('ROLLBACK');
  }
}

/** The longest unclaimed time of each step of the walk, in seconds. */
async function seen(queues: readonly SubscriptionQueue[], most?: number): Promise<number[]> {
  const parts = await looksAt(queues, most);
  return parts.map((found) =>
    Math.round(Math.max(0, ...found.map(({ unclaimedMs }) => unclaimedMs)) / 1_000),
  );
}

describe('unclaimed due deliveries (ADR-0032)', () => {
  it.each<[string, SubscriptionQueue[], number]>([
    ['nothing', [], 0],
    ['the oldest of a queue', [{ due: 10 }], 10],
    ['the oldest of all', [{ due: 10 }, { due: 30 }, { due: 20 }], 30],
    ['not yet due', [{ due: -1 }], 0],
    ['claimed', [{ due: 10, lease: -5 }], 0],
    ['claimed no more', [{ due: 10, lease: 4 }], 4],
    ['claimed before it was due', [{ due: 10, lease: 60 }], 10],
    ['a queue that waits', [{ due: 10, retry: -5 }], 0],
    ['a queue that has waited', [{ due: 10, retry: 3 }], 3],
    ['paused', [{ due: 10, status: 'PAUSED' }], 0],
    ['one among others', [{ due: 10 }, { due: 90, status: 'PAUSED' }, { due: 90, lease: -5 }], 10],
  ])('%s', async (_what, queues, seconds) => {
    expect(await seen(queues)).toEqual([seconds]);
  });

  it('a walk over many queues continues after each part, and ends', async () => {
    const found = await seen([{ due: 10 }, { due: 20 }, { due: 30 }], 2);
    expect(found).toHaveLength(2);
    expect(Math.max(...found)).toBe(30);
  });

  it('are listed by client, with whether a queue of it is claimed', async () => {
    const [A, B, C, D] = ['a', 'b', 'c', 'd'].map(
      (digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`,
    );
    const [found] = await looksAt([
      { client: A!, due: 10 },
      { client: A!, due: 30 },
      { client: A!, due: 90, lease: -5 },
      { client: B!, due: 20, lease: 3 },
      { client: C!, due: 20, lease: -5 },
      { client: D!, due: 20, retry: -5 },
    ]);
    const rounded = found!.map((one) => ({ ...one, unclaimedMs: Math.round(one.unclaimedMs / 1_000) }));
    expect(new Set(rounded)).toEqual(
      new Set([
        { clientId: A, unclaimedMs: 30, isHeld: true },
        { clientId: B, unclaimedMs: 3, isHeld: false },
        { clientId: C, unclaimedMs: 0, isHeld: true },
      ]),
    );
  });
});
