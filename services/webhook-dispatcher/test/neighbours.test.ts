import { until } from '@kontoport/embedded/wait';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { queuesHeld, subscribeMany } from './many-queues.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { postingFor, publish } from './running.ts';
import { openScene, type Scene, type Subscriber } from './scene.ts';

const CLIENTS = 20;
const SUBSCRIPTIONS = 100;
/** Queues that a process holds, and the share of the free ones that a client or organization may have (ADR-0034). */
const LANES = 512;
const SHARE = 0.25;

/** The number of queues that the parties hold when each has its share of the free ones. */
const heldBy = (parties: number): number => Math.floor((parties * SHARE * LANES) / (1 + parties * SHARE));

describe.each([
  {
    of: 'twenty organizations',
    organizationIdentifier: undefined,
    least: heldBy(CLIENTS),
    leastEach: heldBy(CLIENTS) / CLIENTS / 2,
  },
  { of: 'one organization', organizationIdentifier: 'PSDDK-DFSA-20CAFE', least: heldBy(1), leastEach: 0 },
])(
  '2,000 silent receivers of twenty clients of $of delay nobody (§6, ADR-0034)',
  ({ organizationIdentifier, least, leastEach }) => {
    let scene: Scene;
    let silent: Receiver;
    let tpps: TestTpp[];
    let neighbour: Subscriber;

    beforeAll(async () => {
      scene = await openScene();
      silent = await startReceiver(() => {});
      const organization = organizationIdentifier === undefined ? {} : { organizationIdentifier };
      tpps = [];
      for (let i = 0; i < CLIENTS; i++) tpps.push(await scene.parts.peers.addTpp(organization));
      const callbacks = Array.from({ length: SUBSCRIPTIONS }, (_, i) => `${silent.url}&n=${i}`);
      for (const { clientId } of tpps) await subscribeMany(scene.parts, clientId, callbacks);
      neighbour = await scene.subscriber();
      // No more than are made at once: what is deferred would come after the queues are taken (ADR-0034).
      await publish(
        scene.parts.producer,
        Array.from({ length: 2 }, () => postingFor(tpps)),
      );
      const clientIds = tpps.map(({ clientId }) => clientId);
      await until(async () => (await queuesHeld(scene.parts, clientIds)) >= least, {
        what: `${least} queues of silent receivers to be held`,
      });
    });

    afterAll(async () => {
      await silent.close();
      await scene.close();
    });

    it('hold only their share', async () => {
      const clientIds = tpps.map(({ clientId }) => clientId);
      expect(await queuesHeld(scene.parts, clientIds)).toBeLessThanOrEqual(least + CLIENTS);
      for (const { clientId } of tpps) {
        const held = await queuesHeld(scene.parts, [clientId]);
        expect(held).toBeGreaterThanOrEqual(leastEach);
        expect(held).toBeLessThanOrEqual(heldBy(1) + 1);
      }
    });

    it('do not delay the webhook of another TPP', async () => {
      await publish(scene.parts.producer, [postingFor([neighbour.tpp, ...tpps])]);
      await until(() => neighbour.receiver.received.length === 1, {
        what: "the neighbour's webhook",
      });
      const { rows } = await scene.parts.pool.query(
        "SELECT FROM delivery WHERE attempts > 0 UNION ALL SELECT FROM delivery_log WHERE status <> 'delivered'",
      );
      expect(rows).toEqual([]);
    });
  },
);

describe('a receiver that does not answer (ADR-0034)', () => {
  let scene: Scene;
  /** The first attempt at all 40, and none that is exhausted meanwhile. */
  const schedule = { WEBHOOK_RETRY_SCHEDULE: '0s,1ms,1ms,1ms,1ms,1ms,1ms,1ms,1ms,1ms,1ms,1ms' };
  const IN_FLIGHT = 16;

  beforeAll(async () => {
    scene = await openScene(schedule);
  });

  afterAll(() => scene.close());

  const queue = async ({ subscription }: Subscriber) => {
    const { rows } = await scene.parts.pool.query<{ outages: number; waits: boolean; held: boolean }>(
      `SELECT outages, coalesce(retry_at > now(), false) AS waits, claim_id IS NOT NULL AS held
       FROM subscription WHERE internal_id = $1`,
      [subscription.internalId],
    );
    return rows[0]!;
  };
  const outage = (subscriber: Subscriber, count: number): Promise<true> =>
    until(async () => (await queue(subscriber)).outages >= count, {
      what: `outage ${count}`,
    }).then(() => true);

  it('is probed with one delivery at a time, also after a restart, and gets everything once it answers', async () => {
    const subscriber = await scene.subscriber((response) => void response.socket!.destroy());
    const { tpp, receiver, subscription } = subscriber;
    await publish(
      scene.parts.producer,
      Array.from({ length: 40 }, () => postingFor([tpp])),
    );
    await outage(subscriber, 1);
    expect(receiver.received.length).toBeLessThanOrEqual(IN_FLIGHT);
    await outage(subscriber, 2);
    // While it waits it is nobody's: it takes no place among the queues that a process holds.
    await until(
      async () => {
        const { outages, waits, held } = await queue(subscriber);
        return outages >= 2 && waits && !held;
      },
      { what: 'the queue to wait without being held' },
    );
    await scene.restart(schedule);
    await outage(subscriber, 3);
    expect(receiver.received.length).toBeLessThanOrEqual(IN_FLIGHT + 3);
    const states = await scene.deliveriesOf(subscription);
    expect(new Set(states.map(({ status }) => status))).toEqual(new Set(['pending']));

    receiver.answer = (response) => void response.writeHead(204).end();
    await until(
      async () => (await scene.deliveriesOf(subscription)).every(({ status }) => status === 'delivered'),
      { what: 'all deliveries' },
    );
    await until(async () => (await queue(subscriber)).outages === 0, { what: 'the outage to be over' });
  });
});
