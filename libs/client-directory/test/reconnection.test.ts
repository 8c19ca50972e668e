import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { openClientDirectory } from '@kontoport/client-directory';
import { until } from '@kontoport/embedded/wait';
import { createLogger } from '@kontoport/lifecycle';
import {
  Client,
  ClientDirectoryServiceService,
  type WatchRequest,
  type WatchResponse,
} from '@kontoport/proto/registration/v1';

type Stream = ServerDuplexStream<WatchRequest, WatchResponse>;
const logger = createLogger({ service: 'test', level: 'silent' });

/** A directory whose n-th stream is answered by `answers[n]`, the last one for all that follow. */
async function startServer(
  answers: readonly ((stream: Stream, request: WatchRequest) => void)[],
  responseSerialize: (response: WatchResponse) => Buffer = ClientDirectoryServiceService.watch
    .responseSerialize,
) {
  const server = new Server();
  const watcherIds: string[] = [];
  let streams = 0;
  server.addService(
    { watch: { ...ClientDirectoryServiceService.watch, responseSerialize } },
    {
      watch(stream: Stream) {
        const answer = answers[Math.min(streams++, answers.length - 1)]!;
        stream.on('data', (request: WatchRequest) => {
          watcherIds.push(request.watcherId);
          answer(stream, request);
        });
        stream.on('end', () => stream.end());
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    address: `127.0.0.1:${port}`,
    watcherIds,
    streams: () => streams,
    close: () => server.forceShutdown(),
  };
}

const mute = (): void => {};

const part = (revision: bigint, ...clients: Client[]): WatchResponse => ({
  message: { $case: 'part', value: { revision, clients } },
});
const heartbeat = (value: { revision: bigint; nonce: bigint; purgedRevision?: bigint }): WatchResponse => ({
  message: { $case: 'heartbeat', value: { leaseMilliseconds: 5_000n, purgedRevision: 0n, ...value } },
});
const RESET: WatchResponse = { message: { $case: 'reset', value: {} } };
const client = (clientId: string, change: Partial<Client> = {}): Client =>
  Client.fromPartial({ clientId, roles: ['PSP_AI'], revision: 1n, ...change });

/** Answers the hello with an empty part and a lease, and nothing more. */
const grant = (stream: Stream, { nonce, appliedRevision }: WatchRequest): void => {
  if (appliedRevision > 0n) return;
  stream.write(part(1n));
  stream.write(heartbeat({ revision: 1n, nonce }));
};

describe('a directory client whose stream is silent', () => {
  it('replaces it as the same watcher', async () => {
    const server = await startServer([mute, grant]);
    const directory = openClientDirectory({ address: server.address, service: 'test', logger });
    await until(() => directory.readiness() === undefined, { what: 'the second stream answers' });
    expect(server.streams()).toBe(2);
    expect(new Set(server.watcherIds).size).toBe(1);
    await directory.close();
    server.close();
  });
});

describe('a directory client answers', () => {
  it('acknowledges many changes with few messages, the last one for all', async () => {
    const acknowledged: bigint[] = [];
    const server = await startServer([
      (stream, request) => {
        acknowledged.push(request.appliedRevision);
        if (request.appliedRevision > 0n) return;
        for (let revision = 1n; revision <= 500n; revision++) stream.write(part(revision));
      },
    ]);
    const directory = openClientDirectory({ address: server.address, service: 'test', logger });
    await until(() => acknowledged.at(-1) === 500n, { what: 'all are acknowledged' });
    expect(acknowledged.length).toBeLessThan(250);
    await directory.close();
    server.close();
  });
});

/** A directory whose stream stays with the test. */
async function startPlayed() {
  const streams: Stream[] = [];
  const heard: WatchRequest[] = [];
  const server = await startServer([
    (stream, request) => {
      if (streams.at(-1) !== stream) streams.push(stream);
      heard.push(request);
    },
  ]);
  const directory = openClientDirectory({ address: server.address, service: 'test', logger });
  await until(() => heard.length > 0, { what: 'the hello' });
  const say = (...messages: WatchResponse[]): void =>
    messages.forEach((message) => streams.at(-1)!.write(message));
  return {
    directory,
    heard,
    say,
    streams,
    /** Grants a lease for what was sent last. */
    grantNow: async (purgedRevision = 0n) => {
      const { nonce, appliedRevision } = heard.at(-1)!;
      say(heartbeat({ revision: appliedRevision, nonce, purgedRevision }));
      await until(() => directory.readiness() === undefined, { what: 'the lease' });
    },
    applied: (revision: bigint) =>
      until(() => heard.at(-1)!.appliedRevision === revision, { what: `revision ${revision} is applied` }),
    async close() {
      await directory.close();
      server.close();
    },
  };
}

describe('a directory that is still arriving', () => {
  it('decides nothing, despite heartbeats', async () => {
    const played = await startPlayed();
    played.say(part(10n, client('a')), heartbeat({ revision: 10n, nonce: 0n }), part(20n, client('b')));
    await played.applied(20n);
    expect(() => played.directory.find('a')).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
    // A heartbeat of a later revision than the received one grants no lease either.
    played.say(heartbeat({ revision: 21n, nonce: played.heard.at(-1)!.nonce }), part(20n, client('c')));
    const answers = played.heard.length;
    await until(() => played.heard.length > answers, { what: 'it was heard' });
    expect(played.directory.readiness()).toBe('the client directory is silent');
    await played.grantNow();
    expect(played.directory.find('a')).toMatchObject({ roles: ['PSP_AI'] });
    expect(played.directory.find('c')).toBeUndefined();
    await played.close();
  });

  it('resumes after a broken connection', async () => {
    const played = await startPlayed();
    played.say(part(10n, client('a')));
    await played.applied(10n);
    const answers = played.heard.length;
    played.streams.at(-1)!.end();
    await until(() => played.heard.length > answers, { what: 'it is back' });
    expect(played.heard.at(-1)).toMatchObject({ appliedRevision: 10n });
    await played.close();
  });
});

describe('a reset of the directory', () => {
  it('stops decisions at once, and reports deleted clients when the copy is complete again', async () => {
    const played = await startPlayed();
    const gone: string[] = [];
    played.directory.onDeleted((clientId) => gone.push(clientId));
    played.say(part(3n, client('kept'), client('purged'), client('deleted', { deleted: true })));
    await played.applied(3n);
    await played.grantNow();
    const { nonce } = played.heard.at(-1)!;
    played.say(RESET);
    await until(() => played.directory.readiness() !== undefined, { what: 'the lease is over' });
    // A heartbeat for a request sent before the reset renews no lease.
    played.say(heartbeat({ revision: 0n, nonce }), part(9n, client('kept')));
    await played.applied(9n);
    expect(played.directory.readiness()).toBeDefined();
    expect(gone).toEqual(['deleted']);
    await played.grantNow();
    expect(gone).toEqual(['deleted', 'purged']);
    expect(played.directory.find('kept')?.deleted).toBe(false);
    expect(played.directory.find('purged')).toBeUndefined();
    await played.close();
  });
});

describe('deleted clients (retention)', () => {
  it('are removed up to the purged revision, and later ones stay', async () => {
    const played = await startPlayed();
    const deleted = { deleted: true };
    played.say(
      part(7n, client('old', { ...deleted, revision: 5n }), client('alive', { revision: 6n })),
      part(8n, client('new', { ...deleted, revision: 8n })),
    );
    await played.applied(8n);
    await played.grantNow();
    expect(played.directory.find('old')?.deleted).toBe(true);
    await played.grantNow(7n);
    await until(() => played.directory.find('old') === undefined, { what: 'it is forgotten' });
    expect(played.directory.find('alive')?.deleted).toBe(false);
    expect(played.directory.find('new')?.deleted).toBe(true);
    await played.close();
  });
});

describe('an unreadable message', () => {
  it.each<[string, ((response: WatchResponse) => Buffer) | undefined]>([
    ['too large', undefined],
    ['no such message', () => Buffer.from([0xff, 0xff, 0xff])],
  ])('is logged as an error with its reason: %s', async (_what, serialize) => {
    const server = await startServer(
      [(stream) => stream.write(part(1n, client('x'.repeat(2 << 20))))],
      serialize,
    );
    const lines: { level: number; msg: string }[] = [];
    const loud = {
      ...logger,
      warn: () => {},
      error: (_fields: object, msg: string) => lines.push({ level: 50, msg }),
    } as unknown as typeof logger;
    const directory = openClientDirectory({ address: server.address, service: 'test', logger: loud });
    await until(() => lines.length > 0, { what: 'the error' });
    expect(lines[0]!.msg).toContain('cannot be taken');
    expect(directory.readiness()).toBe('the client directory is silent');
    await directory.close();
    server.close();
  });
});
