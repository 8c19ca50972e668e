import { randomUUID } from 'node:crypto';
import { openDb } from '@kontoport/database';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { call, createClient } from '@kontoport/grpc';
import {
  type AnsweredRequest,
  RecordRequestsRequest,
  RequestLogServiceClient,
} from '@kontoport/proto/requests/v1';
import { ask } from '@kontoport/testing/answer';
import { readMetrics } from '@kontoport/testing/metrics';
import { createPrisma } from '../src/gen/db.ts';
import { deleteOld } from '../src/request-log/logged-request.repository.ts';
import { type Reader, type Running, startAccountInformation } from './running.ts';

const HOUR_MS = 3_600_000;

interface Entry {
  requestId: string;
  route: string;
  refusal?: { errorCode: string; message: string };
  [field: string]: unknown;
}

let running: Running;
let client: RequestLogServiceClient;
beforeAll(async () => {
  const port = await freePort();
  running = await startAccountInformation({
    env: { GRPC_PORT: String(port), REQUEST_LOG_GRPC: `127.0.0.1:${port}` },
  });
  client = createClient(RequestLogServiceClient, running.grpcAddress);
});
afterAll(async () => {
  client.close();
  await running.close();
});

const log = async (reader: Reader, query: Record<string, string> = {}) => {
  const { status, body, text } = await reader.get(
    `/sandbox/requests?${new URLSearchParams(query).toString()}`,
  );
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
  return body as { requests: Entry[]; nextCursor?: string };
};

/** Waits until the log has a request. */
const entryOf = (reader: Reader, requestId: string): Promise<Entry> =>
  until(async () => (await log(reader, { requestId })).requests[0], { what: `the request ${requestId}` });

const record = (requests: readonly Partial<AnsweredRequest>[]) =>
  call(
    client,
    client.recordRequests,
    RecordRequestsRequest.fromPartial({
      requests: requests.map((request) => ({
        at: new Date(),
        requestId: randomUUID(),
        method: 'GET',
        route: '/accounts',
        status: 200,
        milliseconds: 1,
        ...request,
      })),
    }),
  );

const newOrganization = () => `PSDDK-DFSA-${randomUUID().slice(0, 8)}`;

describe('the request log (§Sandbox)', () => {
  it('has accepted and refused requests, with the check that refused and its cure', async () => {
    const organizationIdentifier = newOrganization();
    const tpp = await running.addTpp({ organizationIdentifier });
    const { clientId } = tpp;
    const [accepted, expired, unknown] = [randomUUID(), randomUUID(), randomUUID()];
    const { authorization } = await tpp.tpp.headers({ expiresIn: -1 });
    await tpp.get('/aisp-pisp/accounts', { 'x-request-id': accepted });
    await tpp.get('/accounts', { 'x-request-id': expired, authorization: authorization! });
    await tpp.get(`/accounts/${randomUUID()}/transactions`, { 'x-request-id': unknown });
    expect(await entryOf(tpp, accepted)).toEqual({
      id: expect.any(String),
      time: expect.any(String),
      requestId: accepted,
      clientId,
      method: 'GET',
      route: '/accounts',
      status: 200,
      milliseconds: expect.any(Number),
    });
    expect(await entryOf(tpp, expired)).toEqual({
      id: expect.any(String),
      time: expect.any(String),
      requestId: expired,
      method: 'GET',
      route: '/accounts',
      status: 401,
      milliseconds: expect.any(Number),
      refusal: {
        errorCode: 'TOKEN_EXPIRED',
        message: 'The access token has expired; obtain a new one.',
        cure: expect.stringContaining('token'),
        explanation: '/errors/TOKEN_EXPIRED',
      },
    });
    expect(await entryOf(tpp, unknown)).toMatchObject({
      clientId,
      route: '/accounts/{accountId}/transactions',
      status: 404,
      refusal: { errorCode: 'RESOURCE_UNKNOWN', message: 'There is no such account for this client.' },
    });
  });

  it('belongs to the organization: all its clients read it, and no other organization does', async () => {
    const organizationIdentifier = newOrganization();
    const [tpp, sibling] = [
      await running.addTpp({ organizationIdentifier }),
      await running.addTpp({ organizationIdentifier }),
    ];
    const neighbour = await running.addTpp();
    const requestId = randomUUID();
    await tpp.get('/accounts', { 'x-request-id': requestId });
    expect(await entryOf(sibling, requestId)).toMatchObject({ clientId: tpp.clientId });
    expect((await log(neighbour, { requestId })).requests).toEqual([]);
    expect((await log(neighbour, { clientId: tpp.clientId })).requests).toEqual([]);
    // The neighbour's token over this certificate is refused, and the refusal does not name the neighbour.
    const foreign = randomUUID();
    const { authorization } = await neighbour.tpp.headers();
    await tpp.get('/accounts', { 'x-request-id': foreign, authorization: authorization! });
    const entry = await entryOf(tpp, foreign);
    expect(entry).toMatchObject({ refusal: { errorCode: 'TOKEN_INVALID' } });
    expect(entry).not.toHaveProperty('clientId');
  });

  it('names the member at fault, but repeats nothing that the caller invented', async () => {
    const tpp = await running.addTpp();
    const { id, bban } = (await tpp.accounts())[0]!;
    const ids = { declared: randomUUID(), invented: randomUUID(), value: randomUUID() };
    await tpp.get(`/accounts/${id}/transactions?limit=none`, { 'x-request-id': ids.declared });
    await tpp.get(`/accounts/${id}/transactions?${bban}=1`, { 'x-request-id': ids.invented });
    await tpp.get(`/accounts/${id}/transactions?from=${bban}`, { 'x-request-id': ids.value });
    await ask('POST', `${running.origin}/sandbox/accounts/${id}/postings`, {
      headers: { ...tpp.headers, 'x-request-id': 'posting' },
      body: { [bban]: bban },
    });
    expect((await entryOf(tpp, ids.declared)).refusal!.message).toContain('`query.limit`');
    expect((await entryOf(tpp, ids.invented)).refusal!.message).toBe(
      'A parameter, header or body is malformed, unknown or missing.',
    );
    await entryOf(tpp, ids.value);
    await entryOf(tpp, 'posting');
    const { rows } = await running.pool.query('SELECT * FROM logged_request');
    const stored = JSON.stringify(rows);
    for (const secret of [id, bban, tpp.headers.authorization!.slice(7)])
      expect(stored).not.toContain(secret);
  });

  it('leaves its own readers out', async () => {
    const tpp = await running.addTpp();
    await log(tpp);
    const requestId = randomUUID();
    await tpp.get('/accounts', { 'x-request-id': requestId });
    await entryOf(tpp, requestId);
    expect((await log(tpp)).requests.map(({ route }) => route)).toEqual(['/accounts']);
  });

  it('filters by status, request id, client and time, and has pages', async () => {
    const organization = newOrganization();
    const tpp = await running.addTpp({ organizationIdentifier: organization });
    const [one, other] = [randomUUID(), randomUUID()];
    const start = Date.now() - HOUR_MS;
    // Two share a millisecond: a page may end between them.
    const at = [0, 1, 1, 2, 3].map((milliseconds) => new Date(start + milliseconds));
    const rows = [
      { requestId: 'a', status: 200, clientId: one },
      { requestId: 'b', status: 399, clientId: one },
      { requestId: 'c', status: 401, clientId: other },
      { requestId: 'd', status: 499, clientId: undefined },
      { requestId: 'e', status: 500, clientId: other },
    ].map((row, index) => ({ ...row, organization, at: at[index]! }));
    await record(rows);
    const found = async (query: Record<string, string>) =>
      (await log(tpp, query)).requests.map(({ requestId }) => requestId).toSorted();
    expect(await found({ status: '4xx' })).toEqual(['c', 'd']);
    expect(await found({ status: '401' })).toEqual(['c']);
    expect(await found({ requestId: 'b' })).toEqual(['b']);
    expect(await found({ clientId: other })).toEqual(['c', 'e']);
    expect(await found({ since: at[3]!.toISOString() })).toEqual(['d', 'e']);
    for (const limit of [1, 2, 3]) {
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = await log(tpp, { limit: String(limit), ...(cursor === undefined ? {} : { cursor }) });
        pages.push(page.requests.map(({ requestId }) => requestId));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      const order = pages.flat();
      expect(pages.length).toBe(Math.ceil(5 / limit));
      expect([order[0], order[1], order[4]]).toEqual(['e', 'd', 'a']);
      expect(order.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
    }
  });

  it.each([
    ['status', '6xx', 'FORMAT_ERROR'],
    ['status', '4x', 'FORMAT_ERROR'],
    ['clientId', 'none', 'FORMAT_ERROR'],
    ['since', 'yesterday', 'FORMAT_ERROR'],
    ['limit', '101', 'FORMAT_ERROR'],
    ['cursor', 'none', 'CURSOR_INVALID'],
  ])('refuses the filter %s=%s', async (name, value, errorCode) => {
    const tpp = await running.addTpp();
    expect(await tpp.refusal(`/sandbox/requests?${name}=${value}`)).toMatchObject({ status: 400, errorCode });
  });

  it('keeps the last 1,000 requests of each organization', async () => {
    const [flooding, neighbour] = [newOrganization(), newOrganization()];
    const start = Date.now() - HOUR_MS;
    const requestOf = (number: number) => ({
      organization: flooding,
      at: new Date(start + number),
      requestId: String(number),
    });
    await record([{ organization: neighbour, at: new Date(start - 1), requestId: 'neighbour' }]);
    for (const from of [0, 500])
      await record(Array.from({ length: 500 }, (_, index) => requestOf(from + index)));
    const kept = async () => {
      const { rows } = await running.pool.query<{ request_id: string }>(
        'SELECT request_id FROM logged_request WHERE organization = ANY ($1) ORDER BY at',
        [[flooding, neighbour]],
      );
      return [rows.length, rows[0]!.request_id, rows[1]!.request_id, rows.at(-1)!.request_id];
    };
    expect(await kept()).toEqual([1_001, 'neighbour', '0', '999']);
    await record([requestOf(1_000), { organization: neighbour, at: new Date(start + 2_000) }]);
    expect((await kept()).slice(0, 3)).toEqual([1_002, 'neighbour', '1']);
  });

  it('neither fails nor delays requests while it is unavailable, and counts what it misses', async () => {
    const alone = await startAccountInformation({
      env: { REQUEST_LOG_GRPC: `127.0.0.1:${await freePort()}` },
    });
    try {
      const tpp = await alone.addTpp();
      const lost = async () => (await readMetrics(alone.opsPort)).sum('kontoport_request_log_lost_total');
      const before = await lost();
      expect((await tpp.get('/accounts')).status).toBe(200);
      await until(async () => (await lost()) > before, { what: 'the request to be lost' });
      expect((await tpp.get('/accounts')).status).toBe(200);
    } finally {
      await alone.close();
    }
  });

  it('accepts at most 500 requests in one call', async () => {
    const requests = Array.from({ length: 501 }, () => ({ organization: 'x' }));
    await expect(record(requests)).rejects.toMatchObject({ code: 'FORMAT_ERROR' });
  });

  it('deletes old requests in batches', async () => {
    const organization = newOrganization();
    const at = (day: number) => new Date(Date.UTC(2026, 0, day));
    await record([1, 2, 3].map((day) => ({ organization, at: at(day), requestId: String(day) })));
    const db = openDb({ url: running.env.DATABASE_URL!, applicationName: 'retention', prisma: createPrisma });
    expect(await deleteOld(db, { before: at(3), limit: 1 })).toBe(1);
    expect(await deleteOld(db, { before: at(3), limit: 10 })).toBe(1);
    await db.close();
    const { rows } = await running.pool.query(
      'SELECT request_id FROM logged_request WHERE organization = $1',
      [organization],
    );
    expect(rows).toEqual([{ request_id: '3' }]);
  });
});
