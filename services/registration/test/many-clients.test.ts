import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { Broker } from '@kontoport/embedded/embedded-kafka';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { createClient } from '@kontoport/grpc';
import {
  ClientDirectoryServiceClient,
  type WatchRequest,
  WatchResponse,
} from '@kontoport/proto/registration/v1';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { openTestPool, testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { insertClients } from '@kontoport/testing/registered-clients';
import { type ServiceProcess, startServiceProcess } from '@kontoport/testing/service-process';
import type pg from 'pg';
import { registrationEnv, startBroker } from './running.ts';

const CLIENTS = 12_000;
/** Clients with little in them, for messages that hold as many as may be. */
const SMALL = 2_000;
const DEAF = 30;
/** Whole directories for all of them would be 190 MB; a message for each is 8. */
const MAX_GROWTH_KB = 100_000;

let peers: FakePeers;
let broker: Broker;
let database: TestDatabase;
let sql: pg.Pool;
let service: ServiceProcess;
let address: string;

beforeAll(async () => {
  peers = await startFakePeers();
  broker = await startBroker();
  database = await testDatabase('registration');
  sql = openTestPool(database.url);
  await insertClients(sql, { count: SMALL });
  await insertClients(sql, { count: CLIENTS - SMALL, redirectUris: 20 });
  const grpcPort = await freePort();
  address = `127.0.0.1:${grpcPort}`;
  service = startServiceProcess({
    service: 'registration',
    env: {
      ...registrationEnv({ peers, databaseUrl: database.url, broker, grpcPort }),
      HTTP_PORT: String(await freePort()),
      OPS_PORT: String(await freePort()),
    },
  });
  await service.ready();
});

afterAll(async () => {
  await service.kill();
  await sql.end();
  await database.drop();
  await peers.close();
  await broker.stop();
});

interface Watch {
  stream: ClientDuplexStream<WatchRequest, WatchResponse>;
  parts: { clients: number; bytes: number; revision: bigint }[];
  revision: bigint;
  resets: number;
  leases: number;
  close(): void;
}

/** A watcher over a connection of its own, that acknowledges whatever it gets. */
function watch(options: { appliedRevision?: bigint; reads?: boolean } = {}): Watch {
  const stub = createClient(ClientDirectoryServiceClient, address);
  const stream = stub.watch();
  const watcherId = randomUUID();
  const watching: Watch = {
    stream,
    parts: [],
    revision: options.appliedRevision ?? 0n,
    resets: 0,
    leases: 0,
    close() {
      stream.cancel();
      stub.close();
    },
  };
  let nonce = 0n;
  const say = (): void =>
    void stream.write({
      watcherId,
      service: 'test',
      appliedRevision: watching.revision,
      nonce: ++nonce,
      leaving: false,
    });
  stream.on('error', () => {});
  if (options.reads !== false)
    stream.on('data', (response: WatchResponse) => {
      const { message } = response;
      if (message?.$case === 'part') {
        watching.revision = message.value.revision;
        watching.parts.push({
          clients: message.value.clients.length,
          bytes: WatchResponse.encode(response).finish().length,
          revision: message.value.revision,
        });
      }
      if (message?.$case === 'reset') [watching.revision, watching.resets] = [0n, watching.resets + 1];
      if (message?.$case === 'heartbeat' && message.value.nonce > 0n) watching.leases += 1;
      say();
    });
  say();
  return watching;
}

const lastRevision = async (): Promise<bigint> =>
  BigInt((await sql.query<{ revision: string }>('SELECT revision FROM client_revision')).rows[0]!.revision);

const told = ({ parts }: Watch): number => parts.reduce((sum, { clients }) => sum + clients, 0);

describe('a directory of many clients at their limits (§4.2)', () => {
  it('goes to a new watcher in parts of at most 500 clients and 256 KiB, and then it gets its lease', async () => {
    const watcher = watch();
    await until(() => watcher.leases > 0, { what: 'the lease' });
    expect(watcher.revision).toBe(await lastRevision());
    expect(told(watcher)).toBe(CLIENTS);
    expect(Math.max(...watcher.parts.map(({ clients }) => clients))).toBe(500);
    expect(Math.max(...watcher.parts.map(({ bytes }) => bytes))).toBeLessThanOrEqual(256 * 1_024);
    watcher.close();
  });

  it('goes on for a watcher that was away, from its revision', async () => {
    const watcher = watch({ appliedRevision: (await lastRevision()) - 700n });
    await until(() => watcher.leases > 0, { what: 'the lease' });
    expect(told(watcher)).toBe(700);
    expect(watcher.resets).toBe(0);
    watcher.close();
  });

  it('sends changes for a burst of changes, and each of them once', async () => {
    const watcher = watch({ appliedRevision: await lastRevision() });
    await until(() => watcher.leases > 0, { what: 'the lease' });
    expect(told(watcher)).toBe(0);
    await insertClients(sql, { count: 3_000, redirectUris: 1 });
    const last = await lastRevision();
    await until(() => watcher.revision === last, { what: 'all changes' });
    expect(told(watcher)).toBe(3_000);
    watcher.close();
  });

  it('starts anew for a watcher that has missed deletions whose tombstones are gone', async () => {
    const last = await lastRevision();
    const late = watch({ appliedRevision: 1n });
    await until(() => late.leases > 0, { what: 'the lease' });
    expect(late.resets).toBe(0);
    late.close();
    await sql.query('UPDATE client_revision SET purged_revision = 2');
    const anew = watch({ appliedRevision: 1n });
    await until(() => anew.leases > 0, { what: 'the lease' });
    expect([anew.resets, anew.revision]).toEqual([1, last]);
    anew.close();
  });

  it('does not pile up before watchers that do not read, and reaches those beside them', async () => {
    const memoryKb = (): number => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(service.pid)]));
    const warm = watch();
    await until(() => warm.leases > 0, { what: 'the lease' });
    warm.close();
    const before = memoryKb();
    const deaf = Array.from({ length: DEAF }, () => watch({ reads: false }));
    const neighbour = watch();
    await until(() => neighbour.leases > 0, { what: 'the neighbour has its lease' });
    await insertClients(sql, { count: 2_000, redirectUris: 20 });
    const last = await lastRevision();
    await until(() => neighbour.revision === last, { what: 'the neighbour has all' });
    expect(memoryKb() - before).toBeLessThan(MAX_GROWTH_KB);
    for (const watcher of [...deaf, neighbour]) watcher.close();
  });
});
