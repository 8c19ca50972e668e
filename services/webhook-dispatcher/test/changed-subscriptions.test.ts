import { randomBytes, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { reseal as resealAll } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import { startInProcess } from '@kontoport/service';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { kontoport } from '@kontoport/testing/kontoport';
import { SEALED_TABLES } from '../src/sealed-tables.ts';
import { webhookDispatcher } from '../src/service.ts';
import { type Answer, hmacOf, type Receiver, startReceiver } from './receiver.ts';
import { postingFor, publish, webhookClient } from './running.ts';
import { arrived, openScene, type Scene, type Subscriber } from './scene.ts';

let scene: Scene;
let elsewhere: Receiver;
let tpp: TestTpp;
const origin = (): string => scene.service.origin;

const URL = 'https://tpp.example/hooks';
const stored = async (): Promise<unknown> =>
  (
    await scene.parts.pool.query(
      'SELECT internal_id, id, callback_url, event_types, status FROM subscription ORDER BY internal_id',
    )
  ).rows;

beforeAll(async () => {
  scene = await openScene({ WEBHOOK_RETRY_SCHEDULE: ['0s', ...Array<string>(99).fill('100ms')].join() });
  tpp = await scene.parts.peers.addTpp();
});
beforeEach(async () => {
  elsewhere = await startReceiver();
});
afterEach(() => elsewhere.close());
afterAll(() => scene.close());

const eventTypes = ['Posting.CreatedV1'];

async function change({ client, subscription }: Pick<Subscriber, 'client' | 'subscription'>, body: object) {
  const { status } = await client.ask('PUT', `/${subscription.id}`, body);
  expect(status).toBe(200);
}

async function queueOf({ subscription }: Subscriber) {
  const { rows } = await scene.parts.pool.query<{
    claim_id: string | null;
    outages: number;
    is_waiting: boolean;
  }>(
    `SELECT claim_id, outages, coalesce(retry_at > now(), false) AS is_waiting
     FROM subscription WHERE internal_id = $1`,
    [subscription.internalId],
  );
  return rows[0]!;
}

describe('a changed subscription (§4.6)', () => {
  it('sends waiting deliveries to the new callback', async () => {
    const subscriber = await scene.subscriber((response) => void response.writeHead(500).end());
    await publish(scene.parts.producer, [postingFor([subscriber.tpp])]);
    await arrived(subscriber.receiver, 2);
    await change(subscriber, { callbackUrl: elsewhere.url, eventTypes });
    await arrived(elsewhere);
    await scene.settled(subscriber.subscription, 'delivered');
    expect(elsewhere.received[0]!.raw).toEqual(subscriber.receiver.received[0]!.raw);
    const sent = subscriber.receiver.received.length;
    await scene.fence([subscriber.tpp]);
    await arrived(elsewhere, 2);
    expect(subscriber.receiver.received).toHaveLength(sent);
  });

  it('reaches the replica that holds its queue, also through another one', async () => {
    const subscriber = await scene.subscriber();
    const { tpp, subscription } = subscriber;
    const post = (): Promise<void> => publish(scene.parts.producer, [postingFor([tpp])]);
    await post();
    await arrived(subscriber.receiver);
    const another = await scene.parts.startService();
    const client = webhookClient(() => another.origin, tpp);
    // The queue is kept busy, so that its holder does not give it back.
    const held = await until(
      async () => {
        await post();
        const { claim_id: claimId } = await queueOf(subscriber);
        return claimId ?? undefined;
      },
      { what: 'the queue to be held' },
    );
    await change({ client, subscription }, { callbackUrl: elsewhere.url, eventTypes });
    await until(
      async () => {
        await post();
        return elsewhere.received.length > 0;
      },
      { what: 'a webhook at the new callback' },
    );
    expect(held).toMatch(/^[0-9a-f-]{36}$/);
    await another.stop();
  });

  it('probes the new receiver at once after an outage of the previous one', async () => {
    const subscriber = await scene.subscriber();
    const dead = await startReceiver();
    await dead.close();
    await change(subscriber, { callbackUrl: dead.url, eventTypes });
    await publish(scene.parts.producer, [postingFor([subscriber.tpp])]);
    await until(async () => (await queueOf(subscriber)).outages > 3, {
      what: 'a few outages',
    });
    // The same callback again does not end the outage.
    await change(subscriber, { callbackUrl: dead.url, eventTypes });
    expect((await queueOf(subscriber)).outages).toBeGreaterThan(3);
    await until(async () => (await queueOf(subscriber)).is_waiting, { what: 'the queue to wait' });
    await change(subscriber, { callbackUrl: elsewhere.url, eventTypes });
    expect(await queueOf(subscriber)).toMatchObject({ outages: 0, is_waiting: false });
    await arrived(elsewhere);
  });

  /** A subscriber whose callback was changed while its receiver had an unanswered webhook. */
  async function changedInFlight(outages: number): Promise<{ subscriber: Subscriber; open: ServerResponse }> {
    const held: ServerResponse[] = [];
    const subscriber = await scene.subscriber((response) => void held.push(response));
    await scene.parts.pool.query('UPDATE subscription SET outages = $2 WHERE internal_id = $1', [
      subscriber.subscription.internalId,
      outages,
    ]);
    await publish(scene.parts.producer, [postingFor([subscriber.tpp])]);
    await arrived(subscriber.receiver);
    await change(subscriber, { callbackUrl: elsewhere.url, eventTypes });
    return { subscriber, open: held[0]! };
  }

  const atTheNewOne = (): Promise<unknown> =>
    until(() => elsewhere.received.length > 0, { what: 'a webhook at the new callback' });

  it('does not wait for an attempt at the previous receiver', async () => {
    const { subscriber, open } = await changedInFlight(50);
    open.destroy();
    await atTheNewOne();
    expect(elsewhere.received[0]!.raw).toEqual(subscriber.receiver.received[0]!.raw);
  });

  it('is not paused by its previous receiver', async () => {
    const { subscriber, open } = await changedInFlight(0);
    open.writeHead(410).end();
    await atTheNewOne();
    const { client, subscription } = subscriber;
    expect(await client.ask('GET', `/${subscription.id}`)).toMatchObject({ body: { status: 'ACTIVE' } });
  });

  it('gets only its new event types', async () => {
    const subscriber = await scene.subscriber();
    const witness = await scene.subscriber();
    await change(subscriber, { callbackUrl: subscriber.receiver.url, eventTypes: ['Consent.RevokedV1'] });
    await publish(scene.parts.producer, [postingFor([subscriber.tpp, witness.tpp])]);
    await arrived(witness.receiver);
    expect(await scene.deliveriesOf(subscriber.subscription)).toEqual([]);
  });
});

describe('PUT /v1/webhook-subscriptions/{id} (§4.6, §2.11)', () => {
  const changes = { callbackUrl: 'https://tpp.example/other?x=1', eventTypes: ['Consent.RevokedV1'] };

  it('replaces only callback and event types', async () => {
    const client = webhookClient(origin, tpp);
    const created = await client.subscribe(URL);
    const changed = { ...created, ...changes };
    expect(await client.ask('PUT', `/${created.id}`, changes)).toEqual({ status: 200, body: changed });
    expect(await client.ask('GET', `/${created.id}`)).toEqual({ status: 200, body: changed });
    expect(await client.ask('PUT', `/${created.id}`, changes)).toEqual({ status: 200, body: changed });
  });

  it('does not end a pause', async () => {
    const client = webhookClient(origin, tpp);
    const { id, internalId } = await client.subscribe(URL);
    await scene.parts.pool.query(
      "UPDATE subscription SET status = 'PAUSED', paused_at = now(), paused_reason = 'GONE' WHERE internal_id = $1",
      [internalId],
    );
    expect(await client.ask('PUT', `/${id}`, changes)).toMatchObject({
      status: 200,
      body: { ...changes, status: 'PAUSED' },
    });
  });

  it('neither creates a subscription nor restores a deleted one', async () => {
    const client = webhookClient(origin, tpp);
    const { id } = await client.subscribe(URL);
    await client.ask('DELETE', `/${id}`);
    const before = await stored();
    for (const gone of [id, randomUUID()])
      expect(await client.ask('PUT', `/${gone}`, changes)).toMatchObject({
        status: 404,
        body: { errorCode: 'RESOURCE_UNKNOWN' },
      });
    expect(await stored()).toEqual(before);
  });

  it.each([
    ['an unknown field', { ...changes, subscriptionKey: 'a'.repeat(32) }],
    ['a private callback', { ...changes, callbackUrl: 'https://10.0.0.1/' }],
  ])('refuses %s, and changes nothing', async (_what, body) => {
    const client = webhookClient(origin, tpp);
    const { id } = await client.subscribe(URL);
    const before = await stored();
    expect(await client.ask('PUT', `/${id}`, body)).toMatchObject({ status: 400 });
    expect(await stored()).toEqual(before);
  });
});

describe('an event type needs its role (§4.6, §6)', () => {
  it.each(['POST', 'PUT'])('%s without it is 403, names the type and changes nothing', async (method) => {
    const pisp = await scene.parts.peers.addTpp({ roles: ['PSP_PI'] });
    const client = webhookClient(origin, pisp);
    const { id } = await client.subscribe(URL, undefined, ['Consent.RevokedV1']);
    const before = await stored();
    const asked = { callbackUrl: URL, eventTypes: ['Consent.RevokedV1', 'Posting.CreatedV1'] };
    expect(await client.ask(method, `/${method === 'POST' ? randomUUID() : id}`, asked)).toMatchObject({
      status: 403,
      body: {
        errorCode: 'SCOPE_INSUFFICIENT',
        details: [{ path: 'eventTypes.1', message: 'is for clients with a role of these: PSP_AI' }],
      },
    });
    expect(await stored()).toEqual(before);
  });

  it('either of its roles is enough', async () => {
    for (const role of ['PSP_AI', 'PSP_PI'] as const) {
      const client = webhookClient(origin, await scene.parts.peers.addTpp({ roles: [role] }));
      expect((await client.subscribe(URL, undefined, ['Consent.RevokedV1'])).status).toBe('ACTIVE');
    }
  });
});

describe('SECRETS_KEY with several keys', () => {
  const refusal: Answer = (response) => void response.writeHead(401).end('not so');
  const newer = randomBytes(32).toString('base64url');
  const schedule = { WEBHOOK_RETRY_SCHEDULE: '0s,50ms,2h' };

  const reseal = (keys: string) =>
    kontoport(['reseal', 'webhook-dispatcher'], {
      env: { PATH: process.env.PATH, DATABASE_URL: scene.parts.env.DATABASE_URL, SECRETS_KEY: keys },
    });
  /** Returns `/readyz` of a replica after it has checked the keys. */
  async function readinessWith(keys: string): Promise<string> {
    const { opsPort, close } = await startInProcess(webhookDispatcher, {
      ...scene.parts.env,
      SECRETS_KEY: keys,
    });
    try {
      return await until(
        async () => {
          const said = await (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).text();
          return said.includes('have not been looked at') ? undefined : said;
        },
        { what: 'the keys to be looked at' },
      );
    } finally {
      await close();
    }
  }
  /** A subscriber whose receiver has refused once, with the status of its delivery and a check of the owner's view. */
  async function refusedOnce(then: Answer) {
    const subscriber = await scene.subscriber((response, webhook, index) =>
      (index === 0 ? refusal : then)(response, webhook, index),
    );
    const posting = postingFor([subscriber.tpp]);
    await publish(scene.parts.producer, [posting]);
    await arrived(subscriber.receiver, 2);
    const { id, subscriptionKey } = subscriber.subscription;
    const read = (path: string) => subscriber.client.ask('GET', `/${id}${path}`);
    return {
      ...subscriber,
      status: async () => ((await read(`/deliveries/${posting.eventId}`)).body as { status: string }).status,
      async expectWhole() {
        expect((await read('')).body).toMatchObject({ subscriptionKey });
        expect((await read(`/deliveries/${posting.eventId}`)).body).toMatchObject({
          attempts: [{ httpStatus: 401, responseExcerpt: 'not so' }, {}],
        });
      },
    };
  }

  it('rotates without losing a subscription, an excerpt or an attempt in flight', async () => {
    const older = scene.parts.env.SECRETS_KEY!;
    await scene.restart({ ...schedule, SECRETS_KEY: `${older},${newer}` });
    // Deliveries of earlier tests would be found as well.
    for (const table of ['delivery', 'delivery_log']) await scene.parts.pool.query(`DELETE FROM ${table}`);
    const ended = await refusedOnce((response) => void response.writeHead(204).end());
    const waiting = await refusedOnce(refusal);
    let release = (): void => {};
    const held = await refusedOnce((response) => {
      release = () => void response.writeHead(204).end();
    });
    await until(async () => (await ended.status()) === 'delivered', { what: 'the delivery' });
    await until(async () => (await scene.deliveriesOf(waiting.subscription))[0]?.attempts.length === 2, {
      what: 'two refusals',
    });

    // Calls the function of the command, because it is faster: the receiver must answer within 15 seconds.
    const keys = [newer, older].map((key) => Buffer.from(key, 'base64url'));
    const found: string[] = [];
    await expect(
      resealAll({
        pool: scene.parts.pool,
        tables: SEALED_TABLES,
        keys,
        progress: ({ name, resealed, busy }) => void found.push(`${name}: ${resealed}, ${busy}`),
      }),
    ).rejects.toThrow(/^pending deliveries: some are in use/);
    expect(found).toEqual([
      expect.stringMatching(/^subscription keys: \d+, 0$/),
      'pending deliveries: 1, 1',
      'deliveries in the log: 1, 0',
    ]);
    release();
    await until(async () => (await held.status()) === 'delivered', {
      what: 'the delivery that was on its way',
    });
    expect(held.receiver.received).toHaveLength(2);
    const done = await reseal(`${newer},${older}`);
    expect(done).toMatchObject({ status: 0, stderr: '' });
    expect(done.stdout).toMatch(/^subscription keys: \d+ looked at, 0 re-sealed\n/);
    expect(done.stdout).toMatch(/\ndeliveries in the log: \d+ looked at, 1 re-sealed\n/);
    expect(done.stdout.endsWith('everything is sealed with the first key\n')).toBe(true);

    await scene.restart({ ...schedule, SECRETS_KEY: newer });
    for (const subscriber of [ended, waiting, held]) await subscriber.expectWhole();
    await publish(scene.parts.producer, [postingFor([ended.tpp])]);
    await arrived(ended.receiver, 3);
    const signed = ended.receiver.received[2]!;
    expect(signed.headers['x-hmac-signature']).toBe(hmacOf(signed, ended.subscription.subscriptionKey));
  }, 120_000);

  it('leaves a replica unready that cannot decrypt all keys of the database', async () => {
    const other = randomBytes(32).toString('base64url');
    expect(await readinessWith(newer)).not.toContain('SECRETS_KEY');
    expect(await readinessWith(other)).toContain('SECRETS_KEY does not open the keys of all subscriptions');
    const { status, stderr } = await reseal(other);
    expect(status).toBe(1);
    expect(stderr).toMatch(/no key of SECRETS_KEY opens (\d+) of \1 subscription keys/);
  }, 120_000);
});
