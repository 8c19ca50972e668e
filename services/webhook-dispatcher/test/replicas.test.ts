import type { ServerResponse } from 'node:http';
import { until } from '@kontoport/embedded/wait';
import { IN_FLIGHT } from '../src/deliveries/in-flight-limit.model.ts';
import { postingFor, publish, type StartedService, webhookClient } from './running.ts';
import { arrived, openScene, type Scene, type Subscriber } from './scene.ts';

describe('two dispatchers (ADR-0033)', () => {
  let scene: Scene;
  let second: StartedService;

  beforeAll(async () => {
    scene = await openScene();
    second = await scene.parts.startService();
  });

  afterAll(() => scene.close());

  it('share the work, and send nothing twice', async () => {
    const subscribers: Subscriber[] = [];
    for (let i = 0; i < 4; i++) subscribers.push(await scene.subscriber());
    const tpps = subscribers.map(({ tpp }) => tpp);
    for (let i = 0; i < 10; i++)
      await publish(
        scene.parts.producer,
        Array.from({ length: 50 }, () => postingFor(tpps)),
      );
    await Promise.all(subscribers.map(({ receiver }) => arrived(receiver, 500)));
    await scene.fence(tpps);
    await Promise.all(subscribers.map(({ receiver }) => arrived(receiver, 501)));
    for (const { receiver } of subscribers) {
      expect(new Set(receiver.received.map(({ body }) => body.idempotencyKey)).size).toBe(501);
      expect(receiver.received).toHaveLength(501);
    }
  });

  it.each(['the one', 'the other'])(
    'stop the deliveries of a subscription that %s deletes',
    async (which) => {
      const { tpp, receiver, subscription } = await scene.subscriber(() => {});
      await publish(
        scene.parts.producer,
        Array.from({ length: 40 }, () => postingFor([tpp])),
      );
      await arrived(receiver, 16);
      const { origin } = which === 'the one' ? scene.service : second;
      const client = webhookClient(() => origin, tpp);
      expect((await client.ask('DELETE', `/${subscription.id}`)).status).toBe(204);
      const deletedAt = performance.now();
      await until(async () => (await scene.deliveriesOf(subscription)).length === 0, {
        what: 'the pending deliveries to be dropped',
      });
      // Deliveries that were fetched before the deletion are not sent once they are a second old.
      await until(() => performance.now() - deletedAt > 1_100, { what: 'a second to pass' });
      await receiver.close();
      await scene.fence([tpp]);
      expect(receiver.received).toHaveLength(16);
    },
  );
});

describe('a claim (ADR-0033: lease, guarded by claim id)', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await openScene();
  });

  afterAll(() => scene.close());

  it('whose outcome is refused is released at once, before its lease ends', async () => {
    const { tpp, receiver, subscription } = await scene.subscriber();
    const held = new Promise<() => void>((resolve) => {
      receiver.answer = (response, _webhook, index) => {
        if (index === 0) resolve(() => void response.writeHead(204).end());
        else response.writeHead(204).end();
      };
    });
    await publish(scene.parts.producer, [postingFor([tpp])]);
    const answer = await held;
    const claimOf = async (): Promise<string | null> => {
      const { rows } = await scene.parts.pool.query<{ claim_id: string | null }>(
        'SELECT claim_id FROM subscription WHERE internal_id = $1',
        [subscription.internalId],
      );
      return rows[0]!.claim_id;
    };
    const claim = await claimOf();
    // As if another process had sent it, too.
    await scene.parts.pool.query('UPDATE delivery SET attempts = 1 WHERE subscription_id = $1', [
      subscription.internalId,
    ]);
    // The lease would hold it for longer than the test waits.
    await scene.parts.pool.query(
      "UPDATE subscription SET lease_until = now() + interval '1 hour' WHERE internal_id = $1",
      [subscription.internalId],
    );
    answer();
    expect(await until(async () => (await claimOf()) !== claim, { what: 'the claim to end' })).toBe(true);
    await scene.settled(subscription, 'delivered');
  });

  it('whose outcome is refused sends nothing more', async () => {
    const held: ServerResponse[] = [];
    const claimOf = async (internalId: string): Promise<string | null> =>
      (
        await scene.parts.pool.query<{ claim_id: string | null }>(
          'SELECT claim_id FROM subscription WHERE internal_id = $1',
          [internalId],
        )
      ).rows[0]!.claim_id;
    const { tpp, receiver, subscription } = await scene.subscriber((response) => void held.push(response));
    const neighbour = await scene.subscriber();
    await publish(
      scene.parts.producer,
      Array.from({ length: 3 * IN_FLIGHT.start }, () => postingFor([tpp])),
    );
    await until(() => held.length === IN_FLIGHT.start, { what: 'the queue is full' });
    const claim = await claimOf(subscription.internalId);
    // As if another process had sent them, too.
    await scene.parts.pool.query('UPDATE delivery SET attempts = 1 WHERE subscription_id = $1', [
      subscription.internalId,
    ]);
    held[0]!.writeHead(204).end();
    await arrived(receiver, IN_FLIGHT.start + 1);
    // Outcomes are stored in order: when this one is, that one was refused.
    await publish(scene.parts.producer, [postingFor([neighbour.tpp])]);
    await scene.settled(neighbour.subscription, 'delivered');

    const claims: (string | null)[] = [];
    receiver.answer = (response) =>
      void claimOf(subscription.internalId).then((now) => {
        claims.push(now);
        response.writeHead(204).end();
      });
    for (const response of held.slice(1)) response.writeHead(204).end();
    await until(() => claims.length >= IN_FLIGHT.start, { what: 'the rest is sent' });
    expect(claims).not.toContain(claim);
  });
});
