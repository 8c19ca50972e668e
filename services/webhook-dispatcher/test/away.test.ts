import { until } from '@kontoport/embedded/wait';
import { openTcpProxy, type TcpProxy } from '@kontoport/testing/tcp-proxy';
import { postingFor, publish } from './running.ts';
import { arrived, openScene, type Scene } from './scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openScene();
});

afterAll(() => scene.close());

describe('a database outage (§4: 503 in a bounded time, recovery without restart)', () => {
  let link: TcpProxy;

  beforeAll(async () => {
    const url = new URL(scene.parts.env.DATABASE_URL!);
    link = await openTcpProxy({ host: url.hostname, port: Number(url.port) });
    url.host = `127.0.0.1:${link.port}`;
    await scene.restart({ DATABASE_URL: url.href });
  });

  afterAll(async () => {
    await scene.restart();
    await link.close();
  });

  it('refuses calls until it ends, and loses nothing', async () => {
    const { tpp, receiver, client } = await scene.subscriber();
    link.cut();
    for (const [method, path, body] of [
      ['GET', ''],
      ['GET', '/some'],
      ['POST', '/some', { callbackUrl: receiver.url, eventTypes: ['Posting.CreatedV1'] }],
      ['DELETE', '/some'],
    ] as const)
      expect(await client.ask(method, path, body)).toEqual({
        status: 503,
        body: expect.objectContaining({ errorCode: 'UNAVAILABLE' }),
      });
    const posting = postingFor([tpp]);
    await publish(scene.parts.producer, [posting]);
    link.mend();
    await arrived(receiver);
    expect((await client.ask('GET', '')).status).toBe(200);
    expect(receiver.received.map(({ body }) => body.idempotencyKey)).toEqual([posting.eventId]);
  });

  it('delays outcomes until it ends, and sends nothing twice', async () => {
    let answer = (): void => {};
    const { tpp, receiver, client, subscription } = await scene.subscriber((response) => {
      answer = () => void response.end();
    });
    await publish(scene.parts.producer, [postingFor([tpp])]);
    await arrived(receiver);
    link.cut();
    answer();
    await until(async () => (await client.send('GET', '')).status === 503, { what: 'the cut to be noticed' });
    link.mend();
    await scene.settled(subscription, 'delivered');
    expect(receiver.received).toHaveLength(1);
  });
});

describe('a client directory without an answer (§5.3)', () => {
  it('stops all deliveries, because clients may have been deleted', async () => {
    await scene.restart({ WEBHOOK_RETRY_SCHEDULE: '0s,1h' });
    const { pool } = scene.parts;
    const { tpp, receiver, client, subscription } = await scene.subscriber(
      (response) => void response.writeHead(500).end(),
    );
    const attemptedOnce = 'subscription_id = $1 AND attempts = 1';
    await publish(scene.parts.producer, [postingFor([tpp])]);
    await until(
      async () =>
        (await pool.query(`SELECT FROM delivery WHERE ${attemptedOnce}`, [subscription.internalId]))
          .rowCount === 1,
      { what: 'the first attempt' },
    );
    scene.parts.peers.silence();
    await until(async () => (await client.send('GET', '')).status === 503, {
      what: 'the directory to be silent',
    });
    await pool.query(`UPDATE delivery SET due_at = now() WHERE ${attemptedOnce}`, [subscription.internalId]);
    await until(
      async () =>
        (
          await pool.query(
            `SELECT FROM delivery WHERE ${attemptedOnce} AND due_at < now() - interval '1 second'`,
            [subscription.internalId],
          )
        ).rowCount === 1,
      { what: 'the delivery to be overdue' },
    );
    expect(receiver.received).toHaveLength(1);
  });
});
