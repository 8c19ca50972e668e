import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { ServiceError } from '@grpc/grpc-js';
import { openDb } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import { createLogger } from '@kontoport/lifecycle';
import { type WatchRequest, WatchResponse } from '@kontoport/proto/registration/v1';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { insertClients } from '@kontoport/testing/registered-clients';
import { DirectoryHub } from '../src/directory/directory-hub.ts';
import type { EncodedStream } from '../src/directory/watch-stream.ts';
import { createPrisma, type Db } from '../src/gen/db.ts';

const PATIENCE_MS = 3_000;
const CLIENTS = 20_000;
const logger = createLogger({ service: 'test', level: 'silent' });
let database: TestDatabase;
let db: Db;
let hub: DirectoryHub;

beforeAll(async () => {
  database = await testDatabase('registration');
  db = openDb({
    url: database.url,
    applicationName: 'test',
    prisma: createPrisma,
  });
  await insertClients(db, { count: CLIENTS });
  hub = new DirectoryHub({ db, logger, patienceMs: PATIENCE_MS });
  for (const loop of hub.loops) loop.start();
});

afterAll(async () => {
  hub.drain();
  await Promise.all(hub.loops.map((loop) => loop.close()));
  await db.close();
  await database.drop();
});

/** Connects a watcher to the hub: `say` sends its messages, and `responses` holds those of the hub. */
function connect() {
  const requests = new PassThrough({ objectMode: true });
  const responses = new PassThrough({ objectMode: true, highWaterMark: 1 });
  const watcherId = randomUUID();
  let nonce = 0n;
  const failures: Partial<ServiceError>[] = [];
  const stream = Object.assign(requests, {
    write: responses.write.bind(responses),
    end: () => void responses.end(),
  }) as unknown as EncodedStream;
  const hear = requests.emit.bind(requests);
  stream.on('error', (error: Partial<ServiceError>) => failures.push(error));
  hub.watch(stream);
  return {
    failures,
    responses,
    say: (appliedRevision = 0n) =>
      hear('data', {
        watcherId,
        service: 'test',
        appliedRevision,
        nonce: ++nonce,
        leaving: false,
      } satisfies WatchRequest),
  };
}

describe('a watcher that sends but no longer reads', () => {
  it('is disconnected with a message; a reading watcher beside it is not', async () => {
    const deaf = connect();
    const neighbour = connect();
    let revision = 0n;
    neighbour.responses.on('data', (bytes: Buffer) => {
      const { message } = WatchResponse.decode(bytes);
      if (message?.$case === 'part') ({ revision } = message.value);
      neighbour.say(revision);
    });
    deaf.say();
    neighbour.say();
    const speaking = setInterval(() => deaf.say(), PATIENCE_MS / 10);
    await until(() => deaf.failures.length > 0, { what: 'it is cut off' });
    clearInterval(speaking);
    expect(deaf.failures[0]).toMatchObject({ code: 14, details: expect.stringContaining('too slowly') });
    await until(() => revision === BigInt(CLIENTS), { what: 'the neighbour has all' });
    expect(neighbour.failures).toEqual([]);
  });

  it('is also disconnected when it sends nothing', async () => {
    const silent = connect();
    silent.responses.resume();
    silent.say(BigInt(CLIENTS));
    await until(() => silent.failures.length > 0, { what: 'it is cut off' });
    expect(silent.failures[0]).toMatchObject({ code: 14, details: expect.stringContaining('no heartbeat') });
  });
});
