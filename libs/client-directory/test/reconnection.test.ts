import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { openClientDirectory } from '@kontoport/client-directory';
import { until } from '@kontoport/embedded/wait';
import {
  ClientDirectoryServiceService,
  type WatchRequest,
  type WatchResponse,
} from '@kontoport/proto/registration/v1';
import { createLogger } from '@kontoport/runtime';

type Stream = ServerDuplexStream<WatchRequest, WatchResponse>;
const logger = createLogger({ service: 'test', level: 'silent' });

/** A directory whose n-th stream is answered by `answers[n]`, the last one for all that follow. */
async function startServer(answers: readonly ((stream: Stream, request: WatchRequest) => void)[]) {
  const server = new Server();
  const watcherIds: string[] = [];
  let streams = 0;
  server.addService(ClientDirectoryServiceService, {
    watch(stream: Stream) {
      const answer = answers[Math.min(streams++, answers.length - 1)]!;
      stream.on('data', (request: WatchRequest) => {
        watcherIds.push(request.watcherId);
        answer(stream, request);
      });
      stream.on('end', () => stream.end());
    },
  });
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

/** Answers the hello with an empty snapshot and a lease, and nothing more. */
const grant = (stream: Stream, { nonce, appliedRevision }: WatchRequest): void => {
  if (appliedRevision > 0n) return;
  stream.write({ message: { $case: 'snapshot', value: { revision: 1n, clients: [] } } });
  stream.write({
    message: { $case: 'heartbeat', value: { revision: 1n, nonce, leaseMilliseconds: 5_000n } },
  });
};

describe('a directory client whose stream is silent', () => {
  it('gives it up for a new one, as the same watcher', async () => {
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
  it('many changes that arrive together with few acknowledgements, the last one of all of them', async () => {
    const acknowledged: bigint[] = [];
    const server = await startServer([
      (stream, request) => {
        acknowledged.push(request.appliedRevision);
        if (request.appliedRevision > 0n) return;
        stream.write({ message: { $case: 'snapshot', value: { revision: 1n, clients: [] } } });
        for (let revision = 2n; revision <= 500n; revision++)
          stream.write({ message: { $case: 'change', value: { revision, client: undefined } } });
      },
    ]);
    const directory = openClientDirectory({ address: server.address, service: 'test', logger });
    await until(() => acknowledged.at(-1) === 500n, { what: 'all are acknowledged' });
    expect(acknowledged.length).toBeLessThan(250);
    await directory.close();
    server.close();
  });
});
