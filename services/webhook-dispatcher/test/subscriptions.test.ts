import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import { ask } from '@kontoport/testing/answer';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { withFreshDirectory } from '@kontoport/testing/fresh-directory';
import { describeRouteSecurity } from '@kontoport/testing/route-security';
import { webhookDispatcher } from '../src/service.ts';
import {
  type Parts,
  type StartedService,
  startParts,
  webhookClient,
  type WireSubscription,
} from './running.ts';

let parts: Parts;
let service: StartedService;
let tpp: TestTpp;
let other: TestTpp;
const origin = (): string => service.origin;

beforeAll(async () => {
  parts = await startParts();
  service = await parts.startService();
  [tpp, other] = [await parts.peers.addTpp(), await parts.peers.addTpp()];
});

afterAll(() => parts.close());

const URL = 'https://tpp.example/hooks';
const valid = { callbackUrl: URL, eventTypes: ['Posting.CreatedV1'] };
const stored = async (): Promise<unknown> =>
  (await parts.pool.query('SELECT * FROM subscription ORDER BY internal_id')).rows;

describe('POST /v1/webhook-subscriptions/{id} (§4.6, §2.11)', () => {
  it('creates a subscription and returns its key', async () => {
    const id = `My.first~subscription_${randomUUID().slice(0, 8)}`;
    const { status, body } = await webhookClient(origin, tpp).ask('POST', `/${id}`, valid);
    expect(status).toBe(201);
    expect(body).toEqual({
      id,
      internalId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      subscriptionKey: expect.stringMatching(/^[A-Za-z]{32}$/),
      callbackUrl: URL,
      eventTypes: ['Posting.CreatedV1'],
      status: 'ACTIVE',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect((body as WireSubscription).internalId).not.toBe(id);
  });

  it('stores the key encrypted', async () => {
    const { subscriptionKey, internalId } = await webhookClient(origin, tpp).subscribe(URL);
    const { rows } = await parts.pool.query<{ sealed_key: Buffer; row: string }>(
      'SELECT sealed_key, subscription::text AS row FROM subscription WHERE internal_id = $1',
      [internalId],
    );
    expect(rows[0]!.sealed_key.includes(subscriptionKey)).toBe(false);
    expect(rows[0]!.row).not.toContain(subscriptionKey);
  });

  it('gives each subscription its own key', async () => {
    const client = webhookClient(origin, tpp);
    const [one, two] = [await client.subscribe(URL), await client.subscribe(URL)];
    expect(one.subscriptionKey).not.toBe(two.subscriptionKey);
  });

  it('answers under /aisp-pisp as well', async () => {
    const response = await fetch(`${origin()}/aisp-pisp/v1/webhook-subscriptions/${randomUUID()}`, {
      method: 'POST',
      headers: { ...(await tpp.headers()), 'content-type': 'application/json' },
      body: JSON.stringify(valid),
    });
    expect(response.status).toBe(201);
  });

  it('refuses an id in use, and does not change its subscription', async () => {
    const client = webhookClient(origin, tpp);
    const { id } = await client.subscribe(URL);
    const before = await stored();
    expect(
      await client.ask('POST', `/${id}`, { ...valid, callbackUrl: 'https://elsewhere.example/' }),
    ).toEqual({
      status: 409,
      body: expect.objectContaining({ errorCode: 'DUPLICATE_ID' }),
    });
    expect(await stored()).toEqual(before);
  });

  it('refuses the id of a deleted subscription', async () => {
    const client = webhookClient(origin, tpp);
    const { id } = await client.subscribe(URL);
    expect((await client.ask('DELETE', `/${id}`)).status).toBe(204);
    expect(await client.ask('POST', `/${id}`, valid)).toEqual({
      status: 409,
      body: expect.objectContaining({ errorCode: 'DUPLICATE_ID' }),
    });
  });

  it('lets two clients use the same id', async () => {
    const id = randomUUID();
    const one = await webhookClient(origin, tpp).subscribe(URL, id);
    const two = await webhookClient(origin, other).subscribe(URL, id);
    expect(one.id).toBe(two.id);
    expect(one.internalId).not.toBe(two.internalId);
  });

  it('creates one subscription for many concurrent requests', async () => {
    const id = randomUUID();
    const client = webhookClient(origin, tpp);
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.ask('POST', `/${id}`, valid)));
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    expect([count(201), count(409)]).toEqual([1, 5]);
  });

  it('stops at 100 subscriptions of a client, also for concurrent requests', async () => {
    const busy = await parts.peers.addTpp();
    const client = webhookClient(origin, busy);
    const create = (count: number) =>
      Promise.all(Array.from({ length: count }, () => client.ask('POST', `/${randomUUID()}`, valid)));
    for (let created = 0; created < 96; created += 8) await create(8);
    const answers = await create(7);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(3);
    expect(refused[0]!.body).toMatchObject({
      errorCode: 'STATUS_INVALID',
      message: 'A client has at most 100 subscriptions; delete one first.',
    });
    const { body } = await client.ask('GET', '');
    const { subscriptions } = body as { subscriptions: WireSubscription[] };
    await client.ask('DELETE', `/${subscriptions[0]!.id}`);
    await client.subscribe(URL);
  });
});

describe('a client uses 1,000 subscription ids in its life (§4.6)', () => {
  const used = async (count: number): Promise<TestTpp> => {
    const busy = await parts.peers.addTpp();
    await parts.pool.query(
      `INSERT INTO subscription (internal_id, client_id, id, sealed_key, callback_url, event_types, status, created_at)
       SELECT gen_random_uuid(), $1, 'used-' || n, '', '', '{}', 'DELETED', now() FROM generate_series(1, $2::int) AS n`,
      [busy.clientId, count],
    );
    return busy;
  };

  it('accepts the last one and no other, with and without deleted subscriptions', async () => {
    const client = webhookClient(origin, await used(999));
    expect((await client.ask('POST', '/last', valid)).status).toBe(201);
    await client.ask('DELETE', '/last');
    expect(await client.ask('POST', '/one-more', valid)).toMatchObject({
      status: 409,
      body: {
        errorCode: 'STATUS_INVALID',
        message: 'A client uses at most 1000 subscription ids in its life, deleted ones included.',
      },
    });
    expect((await client.ask('POST', '/last', valid)).body).toMatchObject({ errorCode: 'DUPLICATE_ID' });
  });

  it('does not limit other clients', async () => {
    await used(1_000);
    expect((await webhookClient(origin, other).ask('POST', '/another', valid)).status).toBe(201);
  });
});

describe('GET /v1/webhook-subscriptions, GET /v1/webhook-subscriptions/{id} and DELETE /v1/webhook-subscriptions/{id} (§4.6)', () => {
  it('GET returns the answer of the creation, with the key', async () => {
    const client = webhookClient(origin, tpp);
    const created = await client.subscribe(URL);
    expect(await client.ask('GET', `/${created.id}`)).toEqual({ status: 200, body: created });
  });

  it('GET lists the live subscriptions of the caller in the order of their creation', async () => {
    const fresh = await parts.peers.addTpp();
    const client = webhookClient(origin, fresh);
    expect(await client.ask('GET', '')).toEqual({ status: 200, body: { subscriptions: [] } });
    const created: WireSubscription[] = [];
    for (const id of ['c', 'a', 'b']) created.push(await client.subscribe(URL, id));
    await client.ask('DELETE', '/a');
    expect(await client.ask('GET', '')).toEqual({
      status: 200,
      body: { subscriptions: [created[0], created[2]] },
    });
  });

  it('DELETE answers 204 once, then 404; key and callback are erased', async () => {
    const client = webhookClient(origin, tpp);
    const { id, internalId } = await client.subscribe(URL);
    expect(await client.ask('DELETE', `/${id}`)).toEqual({ status: 204, body: undefined });
    expect((await client.ask('DELETE', `/${id}`)).status).toBe(404);
    expect((await client.ask('GET', `/${id}`)).status).toBe(404);
    const { rows } = await parts.pool.query(
      'SELECT status, sealed_key, callback_url FROM subscription WHERE internal_id = $1',
      [internalId],
    );
    expect(rows).toEqual([{ status: 'DELETED', sealed_key: Buffer.alloc(0), callback_url: '' }]);
  });

  it.each(['GET', 'PUT', 'DELETE'])(
    '%s of a foreign subscription looks like an unknown one',
    async (method) => {
      const { id } = await webhookClient(origin, other).subscribe(URL);
      const before = await stored();
      const client = webhookClient(origin, tpp);
      const body = method === 'PUT' ? valid : undefined;
      const foreign = await client.ask(method, `/${id}`, body);
      const unknown = await client.ask(method, `/${randomUUID()}`, body);
      expect(foreign.status).toBe(404);
      expect(foreign.body).toMatchObject({ errorCode: 'RESOURCE_UNKNOWN' });
      expect(foreign).toEqual(unknown);
      expect(await stored()).toEqual(before);
    },
  );

  it.each(['GET', 'DELETE'])(
    '%s of an id that nobody can choose looks like an unknown one',
    async (method) => {
      const client = webhookClient(origin, tpp);
      const unknown = await client.ask(method, `/${randomUUID()}`);
      for (const id of ['%00', 'a%00b', 'x'.repeat(65), 'a%2Fb'])
        expect(await client.ask(method, `/${id}`)).toEqual(unknown);
    },
  );

  it('answers ordinary credentials of either role (§5.7)', async () => {
    const pisp = await parts.peers.addTpp({ roles: ['PSP_PI'] });
    expect((await webhookClient(origin, pisp).ask('GET', '')).status).toBe(200);
  });
});

describe('bad input (§7): refused with an errorCode, and nothing changes', () => {
  const oversized = JSON.stringify({ ...valid, callbackUrl: `https://tpp.example/${'a'.repeat(70_000)}` });
  const cases: [string, { body?: string; type?: string; id?: string }, number, string][] = [
    ['malformed JSON', { body: '{"callbackUrl":' }, 400, 'FORMAT_ERROR'],
    ['a missing field', { body: JSON.stringify({ callbackUrl: URL }) }, 400, 'FORMAT_ERROR'],
    ['an unknown field', { body: JSON.stringify({ ...valid, secret: 'x' }) }, 400, 'FORMAT_ERROR'],
    ['no event type', { body: JSON.stringify({ ...valid, eventTypes: [] }) }, 400, 'FORMAT_ERROR'],
    [
      'an event type twice',
      { body: JSON.stringify({ ...valid, eventTypes: ['Posting.CreatedV1', 'Posting.CreatedV1'] }) },
      400,
      'FORMAT_ERROR',
    ],
    [
      'an event type not produced yet',
      { body: JSON.stringify({ ...valid, eventTypes: ['Webhook.TestV1'] }) },
      400,
      'FORMAT_ERROR',
    ],
    ['a body over 64 KB', { body: oversized }, 413, 'PAYLOAD_TOO_LARGE'],
    ['a wrong content type', { body: JSON.stringify(valid), type: 'text/plain' }, 415, 'FORMAT_ERROR'],
    ['an id of 65 characters', { body: JSON.stringify(valid), id: 'x'.repeat(65) }, 400, 'FORMAT_ERROR'],
    ['an id with a slash', { body: JSON.stringify(valid), id: 'a%2Fb' }, 400, 'FORMAT_ERROR'],
    ['an id with a zero byte', { body: JSON.stringify(valid), id: 'a%00b' }, 400, 'FORMAT_ERROR'],
    ['an id that is not UTF-8', { body: JSON.stringify(valid), id: '%ff' }, 400, 'FORMAT_ERROR'],
  ];

  it.each(cases)(
    '%s',
    async (_name, { body, type = 'application/json', id = randomUUID() }, status, errorCode) => {
      const before = await stored();
      const headers = { ...(await tpp.headers()), 'content-type': type };
      const answer = await withFreshDirectory(() =>
        ask('POST', `${origin()}/v1/webhook-subscriptions/${id}`, { headers, body }),
      );
      expect(answer).toMatchObject({
        status,
        body: { errorCode, message: expect.any(String), requestId: expect.any(String) },
      });
      expect(await stored()).toEqual(before);
    },
  );

  it.each(['.', '..'])('the id %s, which proxies normalize, is neither accepted nor found', async (id) => {
    const before = await stored();
    expect(await askAsIs('POST', id, JSON.stringify(valid))).toMatchObject({
      status: 400,
      body: { errorCode: 'FORMAT_ERROR', details: [{ path: 'id' }] },
    });
    for (const method of ['GET', 'DELETE'])
      expect(await askAsIs(method, id)).toMatchObject({
        status: 404,
        body: { errorCode: 'RESOURCE_UNKNOWN' },
      });
    expect(await stored()).toEqual(before);
  });

  it.each(['...', '.a', '..a', 'a.', '-'])('the id %s is accepted', async (id) => {
    const { status } = await askAsIs('POST', id, JSON.stringify(valid));
    expect(status).toBe(201);
  });

  /** A request whose path is not normalized, as fetch would do. */
  async function askAsIs(method: string, id: string, body?: string) {
    const request = httpRequest(origin(), {
      method,
      path: `/v1/webhook-subscriptions/${id}`,
      headers: {
        ...(await tpp.headers()),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
    });
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { status: response.statusCode, body: await readJson(response) };
  }

  it('names the supported event types', async () => {
    const { body } = await webhookClient(origin, tpp).ask('POST', `/${randomUUID()}`, {
      ...valid,
      eventTypes: ['Posting.Created'],
    });
    expect(body).toMatchObject({
      details: [
        {
          path: 'eventTypes.0',
          message:
            'is none of the supported event types: Posting.CreatedV1, Consent.RevokedV1, Transfer.CreatedV1, Transfer.StatusChangedV1',
        },
      ],
    });
  });
});

describeRouteSecurity({
  service: webhookDispatcher,
  addresses: () => ({ base_url: origin() }),
  peers: () => parts.peers,
});
