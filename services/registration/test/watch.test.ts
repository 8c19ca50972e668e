import { randomUUID } from 'node:crypto';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { inTransaction, openDb } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import { createClient } from '@kontoport/grpc';
import {
  ClientDirectoryServiceClient,
  type WatchRequest,
  type WatchResponse,
} from '@kontoport/proto/registration/v1';
import { ask } from '@kontoport/testing/answer';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { openTestPool, testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { openTcpProxy, type TcpProxy } from '@kontoport/testing/tcp-proxy';
import type pg from 'pg';
import { nextRevision, recordWatchers } from '../src/directory/directory.repository.ts';
import { createPrisma, type Db } from '../src/gen/db.ts';
import { registerTpp, type RunningRegistration, startRegistration } from './running.ts';

let peers: FakePeers;
let database: TestDatabase;
let databaseWire: TcpProxy;
let registration: RunningRegistration;
let stub: ClientDirectoryServiceClient;
let sql: pg.Pool;
let db: Db;

beforeAll(async () => {
  peers = await startFakePeers();
  database = await testDatabase('registration');
  sql = openTestPool(database.url);
  db = openDb({ url: database.url, applicationName: 'test', prisma: createPrisma });
  const url = new URL(database.url);
  databaseWire = await openTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.hostname = '127.0.0.1';
  url.port = String(databaseWire.port);
  registration = await startRegistration({ peers, databaseUrl: url.href });
  stub = createClient(ClientDirectoryServiceClient, `127.0.0.1:${registration.grpcPort}`);
});

afterAll(async () => {
  stub.close();
  await registration.close();
  await databaseWire.close();
  await sql.end();
  await db.close();
  await database.drop();
  await peers.close();
});

interface Watch {
  watcherId: string;
  stream: ClientDuplexStream<WatchRequest, WatchResponse>;
  received: NonNullable<WatchResponse['message']>[];
  failure: { code?: number; details?: string } | undefined;
  say(request: Partial<WatchRequest>): void;
  /** The nonces echoed so far. */
  echoes(): bigint[];
}

/** Opens the stream of a watcher that sends only the given messages. */
function watch(watcherId: string = randomUUID()): Watch {
  const stream = stub.watch();
  const watching: Watch = {
    watcherId,
    stream,
    received: [],
    failure: undefined,
    say: (request) =>
      void stream.write({
        watcherId,
        service: 'test',
        appliedRevision: 0n,
        nonce: 1n,
        leaving: false,
        ...request,
      }),
    echoes: () =>
      watching.received.flatMap((message) => (message.$case === 'heartbeat' ? [message.value.nonce] : [])),
  };
  stream.on('data', ({ message }: WatchResponse) => watching.received.push(message!));
  stream.on('error', (error: { code?: number; details?: string }) => (watching.failure = error));
  return watching;
}

const rowOf = async (watcherId: string): Promise<{ applied_revision: string } | undefined> =>
  (await sql.query<{ applied_revision: string }>('SELECT * FROM watcher WHERE watcher_id = $1', [watcherId]))
    .rows[0];

describe('Watch', () => {
  it('answers a hello with all clients and a heartbeat that grants the lease, once the watcher is stored', async () => {
    const tpp = await registerTpp(peers, registration.origin);
    const { watcherId, received, say, stream } = watch();
    say({ nonce: 7n });
    await until(() => received.length >= 2, { what: 'clients and heartbeat' });
    expect(await rowOf(watcherId)).toMatchObject({ applied_revision: '0' });
    expect(received[0]).toMatchObject({
      $case: 'part',
      value: { clients: expect.arrayContaining([expect.objectContaining({ clientId: tpp.clientId })]) },
    });
    const { revision } = (received[0] as { value: { revision: bigint } }).value;
    expect(received[1]).toEqual({
      $case: 'heartbeat',
      value: { revision, nonce: 7n, leaseMilliseconds: 5_000n, purgedRevision: 0n },
    });
    stream.cancel();
  });

  it('echoes the last nonce, and stores an acknowledgement at once', async () => {
    const { watcherId, say, echoes, stream } = watch();
    say({ nonce: 1n });
    await until(() => echoes().includes(1n), { what: 'the first echo' });
    say({ nonce: 2n });
    say({ nonce: 3n, appliedRevision: 1n });
    await until(async () => (await rowOf(watcherId))?.applied_revision === '1', {
      what: 'the acknowledgement',
    });
    await until(() => echoes().includes(3n), { what: 'the last echo' });
    expect(echoes()).not.toContain(2n);
    stream.cancel();
  });

  it('keeps the row of a broken stream, and removes that of a watcher that leaves', async () => {
    const broken = watch();
    broken.say({});
    await until(() => broken.echoes().length > 0, { what: 'a lease' });
    broken.stream.cancel();
    await until(() => broken.failure !== undefined, { what: 'the break' });
    const leaving = watch(broken.watcherId);
    leaving.say({});
    await until(() => leaving.echoes().length > 0, { what: 'a lease again' });
    expect(await rowOf(broken.watcherId)).toBeDefined();
    leaving.say({ leaving: true });
    await until(async () => (await rowOf(broken.watcherId)) === undefined, { what: 'the row is gone' });
  });

  it.each([
    ['no UUID', { watcherId: 'x' }],
    ['no service', { service: '' }],
    ['an endless service', { service: 's'.repeat(101) }],
  ])('refuses a hello with %s', async (_what, change) => {
    const watching = watch();
    watching.say(change);
    await until(() => watching.failure !== undefined, { what: 'the refusal' });
    expect(watching.failure).toMatchObject({ code: 3 });
    expect(watching.received).toEqual([]);
  });
});

describe('an acknowledgement and a concurrent change', () => {
  const watcher = { watcherId: randomUUID(), service: 'test', appliedRevision: 0n };
  const waiting = async (): Promise<boolean> =>
    (
      await sql.query(
        `SELECT 1 FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'client_revision'`,
      )
    ).rows.length > 0;

  it('an acknowledgement during a change waits for it, and returns its revision', async () => {
    let recording: Promise<{ revision: bigint }> | undefined;
    const changed = await db.prisma.$transaction(async (tx) => {
      const revision = await nextRevision(tx);
      recording = recordWatchers(sql, [watcher]);
      await until(waiting, { what: 'the acknowledgement waits' });
      return revision;
    });
    expect(await recording).toMatchObject({ revision: changed });
  });

  it('a change during an acknowledgement waits for it, and sees its row', async () => {
    const other = { ...watcher, watcherId: randomUUID() };
    let seen: Promise<number> | undefined;
    await inTransaction(sql, async (tx) => {
      await recordWatchers(tx, [other]);
      seen = db.prisma.$transaction(async (changing) => {
        await nextRevision(changing);
        return changing.watcher.count({ where: { watcherId: other.watcherId } });
      });
      await until(waiting, { what: 'the change waits' });
    });
    expect(await seen).toBe(1);
  });
});

describe('while the database is unreachable', () => {
  it('no nonce is echoed, requests get 503, and all recovers without restart', async () => {
    const tpp = await registerTpp(peers, registration.origin);
    const { say, echoes, stream } = watch();
    say({ nonce: 1n });
    await until(() => echoes().includes(1n), { what: 'the first echo' });
    databaseWire.cut();
    const heartbeats = echoes().length;
    say({ nonce: 2n });
    const url = `${registration.origin}/tpp/${tpp.clientId}`;
    const started = performance.now();
    const answers = [
      await ask('GET', url, tpp),
      await ask('DELETE', url, tpp),
      await ask('POST', `${registration.origin}/tpp`, {
        headers: tpp.applicant.headers,
        body: { name: 'n', roles: ['PSP_AI'], redirectUris: ['https://a.example/'] },
      }),
    ];
    expect(performance.now() - started).toBeLessThan(10_000);
    for (const { status, body, headers } of answers) {
      expect({ status, errorCode: body.errorCode }).toEqual({ status: 503, errorCode: 'UNAVAILABLE' });
      expect(headers.get('retry-after')).toBe('1');
    }
    await until(() => echoes().length >= heartbeats + 2, { what: 'heartbeats go on' });
    expect(echoes()).not.toContain(2n);
    const ready = async () => (await fetch(`http://127.0.0.1:${registration.opsPort}/readyz`)).status;
    await until(async () => (await ready()) === 503, { what: 'it is not ready' });
    databaseWire.mend();
    await until(() => echoes().includes(2n), { what: 'the second echo' });
    await until(async () => (await ready()) === 200, { what: 'it is ready again' });
    expect((await ask('GET', url, tpp)).status).toBe(200);
    expect((await ask('DELETE', url, tpp)).status).toBe(204);
    stream.cancel();
  });
});
