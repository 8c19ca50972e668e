import { until } from '@kontoport/embedded/wait';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { keysOf, storeEvents } from './replays.ts';
import { postingFor, publish } from './running.ts';
import { arrived, openScene, type Scene } from './scene.ts';

let scene: Scene;
/** The registration as a replica sees it that does not know the clients of the others yet. */
let behind: FakePeers;

beforeAll(async () => {
  [scene, behind] = await Promise.all([openScene(), startFakePeers()]);
});

afterAll(async () => {
  await scene.close();
  await behind.close();
});

describe('a replica that does not know a new client yet (§6, ADR-0010)', () => {
  /** Another replica knew the clients, and took their subscriptions. */
  const takeOver = () => scene.restart({ REGISTRATION_GRPC: behind.env.REGISTRATION_GRPC! });

  afterEach(() => scene.restart());

  const audienceOf = async (eventId: string): Promise<string[] | undefined> =>
    (
      await scene.parts.pool.query<{ audience: string[] }>('SELECT audience FROM event WHERE id = $1', [
        eventId,
      ])
    ).rows[0]?.audience;

  it('delivers everything since its subscription', async () => {
    const { tpp, receiver, subscription } = await scene.subscriber();
    await takeOver();
    const posting = postingFor([tpp]);
    await publish(scene.parts.producer, [posting]);
    await arrived(receiver);
    expect(receiver.received[0]!.body).toMatchObject({
      subscriptionId: subscription.id,
      idempotencyKey: posting.eventId,
    });
  });

  it('delivers nothing to deleted clients, without the role, or to old subscriptions', async () => {
    const fresh = await scene.subscriber();
    const [deleted, other, former] = [
      await scene.subscriber(),
      await scene.subscriber(),
      await scene.subscriber(),
    ];
    behind.deleteTpp(await behind.addTpp({ clientId: deleted.tpp.clientId }));
    await behind.addTpp({ clientId: other.tpp.clientId, roles: ['PSP_PI'] });
    await scene.parts.pool.query(
      "UPDATE subscription SET created_at = now() - interval '2 minutes' WHERE internal_id = $1",
      [former.subscription.internalId],
    );
    await takeOver();
    const posting = postingFor([deleted.tpp, other.tpp, former.tpp, fresh.tpp]);
    await publish(scene.parts.producer, [posting]);
    await arrived(fresh.receiver);
    expect(await audienceOf(posting.eventId)).toEqual([fresh.tpp.clientId]);
    for (const { subscription } of [other, former])
      expect(await scene.deliveriesOf(subscription)).toEqual([]);
  });

  it('keeps events for it during a pause', async () => {
    const [paused, fresh] = [await scene.subscriber(), await scene.subscriber()];
    await scene.parts.pool.query(
      "UPDATE subscription SET status = 'PAUSED', paused_at = now(), paused_reason = 'GONE' WHERE internal_id = $1",
      [paused.subscription.internalId],
    );
    await takeOver();
    const posting = postingFor([paused.tpp, fresh.tpp]);
    await publish(scene.parts.producer, [posting]);
    await arrived(fresh.receiver);
    expect(await audienceOf(posting.eventId)).toEqual([paused.tpp.clientId, fresh.tpp.clientId]);
  });

  it('continues its replay once it knows the client', async () => {
    const subscriber = await scene.subscriber();
    const { tpp, receiver, subscription } = subscriber;
    await takeOver();
    const [eventId] = await storeEvents(scene, tpp);
    const { rows } = await scene.parts.pool.query<{ id: string }>(
      `INSERT INTO replay (id, subscription_id, client_id, cause, phase, from_time, to_time)
       VALUES (gen_random_uuid(), $1, $2, 'ASKED', 'TIME', now() - interval '1 hour', now()) RETURNING id`,
      [subscription.internalId, tpp.clientId],
    );
    await until(
      async () => {
        const { rowCount } = await scene.parts.pool.query(
          'SELECT FROM replay WHERE id = $1 AND stepped_at IS NOT NULL',
          [rows[0]!.id],
        );
        return rowCount === 1;
      },
      { what: 'a first step' },
    );
    await behind.addTpp({ clientId: tpp.clientId });
    await arrived(receiver);
    expect(keysOf(subscriber)).toEqual([eventId]);
  });
});
