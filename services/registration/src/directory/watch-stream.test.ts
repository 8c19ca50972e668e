import { PassThrough } from 'node:stream';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { WatchRequest, WatchResponse } from '@kontoport/proto/registration/v1';
import type { KnownClient } from './known-client.model.ts';
import { type Directory, WatchStream } from './watch-stream.ts';

const hello: WatchRequest = {
  watcherId: 'w',
  service: 'test',
  appliedRevision: 0n,
  nonce: 1n,
  leaving: false,
};

const client = (revision: bigint): KnownClient => ({
  clientId: `c${revision}`,
  name: 'A TPP',
  roles: ['PSP_AI'],
  redirectUris: [],
  organizationIdentifier: 'PSDDK-DFSA-1',
  certificateThumbprints: [],
  revision,
  deleted: false,
  createdAt: new Date(0),
});

/** All clients up to a revision, one change each. */
function directoryAt(revision: bigint): Directory {
  const clients = Array.from({ length: Number(revision) }, (_, i) => client(BigInt(i + 1)));
  return { revision, clients: new Map(clients.map((each) => [each.clientId, each])) };
}

function open() {
  const wire = new PassThrough({ objectMode: true, highWaterMark: 1_000 });
  const watcher = new WatchStream(
    wire as unknown as ServerDuplexStream<WatchRequest, WatchResponse>,
    hello,
    0,
  );
  /** What was sent since the last look: `snapshot 5`, `change 6`, `heartbeat 6 echo 1`. */
  const sent = (): string[] => {
    const messages: string[] = [];
    for (let next = wire.read() as WatchResponse | null; next; next = wire.read() as WatchResponse | null) {
      const { $case, value } = next.message!;
      messages.push(`${$case} ${value.revision}${$case === 'heartbeat' ? ` echo ${value.nonce}` : ''}`);
    }
    return messages;
  };
  return { watcher, sent };
}

describe('what a watcher is told, and when (deleted clients lose access everywhere, §4.2)', () => {
  it('nothing before its hello stands in the database', () => {
    const { watcher, sent } = open();
    watcher.greet(directoryAt(5n));
    watcher.pass([client(6n)], directoryAt(6n));
    watcher.beat();
    expect(sent()).toEqual([]);
  });

  it('no snapshot that is older than its row', () => {
    const { watcher, sent } = open();
    watcher.record(1n, 6n);
    watcher.greet(directoryAt(5n));
    expect(sent()).toEqual([]);
    watcher.greet(directoryAt(6n));
    watcher.greet(directoryAt(6n));
    expect(sent()).toEqual(['snapshot 6', 'heartbeat 6 echo 1']);
  });

  it('no echo before every change that was made before its acknowledgement was noted', () => {
    const { watcher, sent } = open();
    watcher.record(1n, 5n);
    watcher.greet(directoryAt(5n));
    watcher.record(2n, 6n);
    watcher.beat();
    watcher.pass([client(6n)], directoryAt(6n));
    watcher.beat();
    expect(sent()).toEqual([
      'snapshot 5',
      'heartbeat 5 echo 1',
      'heartbeat 5 echo 1',
      'change 6',
      'heartbeat 6 echo 2',
    ]);
  });

  it('the changes one by one, or a new snapshot when there are many', () => {
    const { watcher, sent } = open();
    watcher.record(1n, 0n);
    watcher.greet(directoryAt(0n));
    const changes = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => client(BigInt(from + i)));
    watcher.pass(changes(1, 2), directoryAt(2n));
    watcher.pass([], directoryAt(2n));
    watcher.pass(changes(3, 100), directoryAt(100n));
    watcher.beat();
    expect(sent()).toEqual([
      'snapshot 0',
      'heartbeat 0 echo 1',
      'change 1',
      'change 2',
      'snapshot 100',
      'heartbeat 100 echo 1',
    ]);
  });
});
