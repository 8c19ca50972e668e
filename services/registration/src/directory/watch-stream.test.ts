import { PassThrough } from 'node:stream';
import { type WatchRequest, WatchResponse } from '@kontoport/proto/registration/v1';
import { DirectoryPages, toPage } from './directory-pages.ts';
import type { DirectoryState, KnownClient } from './known-client.model.ts';
import { type EncodedStream, WatchStream } from './watch-stream.ts';

const hello: WatchRequest = {
  watcherId: 'w',
  service: 'test',
  appliedRevision: 0n,
  nonce: 1n,
  leaving: false,
};

const client = (revision: number): KnownClient => ({
  clientId: `c${revision}`,
  roles: ['PSP_AI'],
  redirectDigests: Buffer.alloc(0),
  organizationIdentifier: 'PSDDK-DFSA-1',
  redirectUriDigests: Buffer.alloc(0),
  certificates: [],
  displayName: 'Fjord',
  revokedTokens: [],
  revision: BigInt(revision),
  deleted: false,
});

const at = (revision: number, purgedRevision = 0): DirectoryState => ({
  revision: BigInt(revision),
  purgedRevision: BigInt(purgedRevision),
});

/** Opens the stream of a watcher, in a directory with one change per revision and two changes per page. */
function open(change: { appliedRevision?: number; waiting?: number } = {}) {
  let state = at(0);
  const reads: bigint[] = [];
  const pages = new DirectoryPages(async (after) => {
    reads.push(after);
    const clients = [];
    for (let next = Number(after) + 1; next <= Number(state.revision) && clients.length < 2; next++)
      if (next > state.purgedRevision) clients.push(client(next));
    return toPage({ clients, state }, 2);
  });
  const wire = new PassThrough({ objectMode: true, highWaterMark: change.waiting ?? 1_000 });
  const watcher = new WatchStream({
    stream: wire as unknown as EncodedStream,
    hello: { ...hello, appliedRevision: BigInt(change.appliedRevision ?? 0) },
    pages,
    now: 0,
  });
  /** Returns the messages since the last call: `to 5: c4 c5`, `heartbeat 6 echo 1`. */
  const sent = (): string[] => {
    const messages: string[] = [];
    for (let next = wire.read() as Buffer | null; next; next = wire.read() as Buffer | null) {
      const { message } = WatchResponse.decode(next);
      if (message?.$case === 'part')
        messages.push(
          `to ${message.value.revision}: ${message.value.clients.map((c) => c.clientId).join(' ')}`,
        );
      else if (message?.$case === 'heartbeat')
        messages.push(`heartbeat ${message.value.revision} echo ${message.value.nonce}`);
      else messages.push('reset');
    }
    return messages;
  };
  return {
    watcher,
    reads,
    sent,
    wire,
    /** Moves the directory to this state, and sends the watcher the missing changes. */
    async reach(next: DirectoryState) {
      state = next;
      pages.notePurged(next.purgedRevision);
      await watcher.send(next);
    },
    record(nonce: number, applied: number, recordedAt: DirectoryState) {
      watcher.record({ nonce: BigInt(nonce), appliedRevision: BigInt(applied) }, recordedAt);
    },
  };
}

describe('what a watcher is sent, and when (deleted clients lose access everywhere, §4.2)', () => {
  it('nothing before its hello is stored', async () => {
    const { watcher, sent, reach } = open();
    watcher.beat();
    await reach(at(5));
    expect(sent()).toEqual([]);
  });

  it('everything up to the last change in parts, and only then a lease', async () => {
    const { sent, reach, record, watcher } = open();
    record(1, 0, at(5));
    watcher.beat();
    await reach(at(5));
    expect(sent()).toEqual(['heartbeat 0 echo 0', 'to 2: c1 c2', 'to 4: c3 c4', 'to 5: c5']);
    record(2, 4, at(5));
    await reach(at(5));
    expect(sent()).toEqual([]);
    record(3, 5, at(5));
    await reach(at(5));
    expect(sent()).toEqual(['heartbeat 5 echo 3']);
  });

  it('no echo before every change from before its stored acknowledgement', async () => {
    const { watcher, sent, reach, record } = open({ appliedRevision: 5 });
    record(1, 5, at(5));
    await reach(at(5));
    expect(sent()).toEqual(['heartbeat 5 echo 1']);
    record(2, 5, at(6));
    watcher.beat();
    await reach(at(6));
    watcher.beat();
    await reach(at(6));
    expect(sent()).toEqual(['heartbeat 5 echo 1', 'to 6: c6', 'heartbeat 6 echo 2']);
  });

  it('the echo of an acknowledgement, however many newer ones wait for later changes', async () => {
    const { watcher, sent, reach, record } = open({ appliedRevision: 1 });
    record(1, 1, at(1));
    await reach(at(1));
    record(2, 1, at(2));
    record(3, 1, at(3));
    record(4, 1, at(9));
    await reach(at(2));
    watcher.beat();
    await reach(at(3));
    expect(sent().filter((message) => message.startsWith('heartbeat'))).toContain('heartbeat 2 echo 2');
  });

  it('the changes since it was last connected, and nothing else', async () => {
    const { sent, reach, record } = open({ appliedRevision: 7 });
    record(1, 7, at(10));
    await reach(at(10));
    expect(sent()).toEqual(['to 9: c8 c9', 'to 10: c10']);
  });

  it('one part at a time: the next is built only when flow control has accepted the last', async () => {
    const { reads, reach, record, wire } = open({ waiting: 1 });
    record(1, 0, at(1_000));
    void reach(at(1_000));
    await new Promise((resolve) => setImmediate(resolve));
    expect(reads.length).toBeLessThanOrEqual(4);
    expect(wire.readableLength + wire.writableLength).toBeLessThanOrEqual(3);
  });
});

describe('a watcher that does not read', () => {
  it('stalls from the moment it does not accept a message until it does', async () => {
    const { watcher, reach, record, wire, sent } = open({ waiting: 1 });
    record(1, 0, at(1_000));
    const sending = reach(at(1_000));
    await new Promise((resolve) => setImmediate(resolve));
    expect(watcher.stalledMs(performance.now() + 60_000)).toBeGreaterThanOrEqual(60_000);
    wire.resume();
    await sending;
    expect(watcher.stalledMs(performance.now() + 60_000)).toBe(0);
    expect(sent()).toEqual([]);
  });
});

describe('purged tombstones', () => {
  it.each<[string, number, DirectoryState, boolean]>([
    ['the last one that is gone', 5, at(9, 5), false],
    ['one before it', 4, at(9, 5), true],
    ['the last change', 9, at(9, 5), false],
    ['what the database does not know any more', 10, at(9, 5), true],
    ['nothing', 0, at(9, 5), false],
  ])('make a watcher that has applied %s start anew, or not', async (_what, appliedRevision, state, anew) => {
    const { sent, reach, record } = open({ appliedRevision });
    record(1, appliedRevision, state);
    await reach(state);
    expect(sent().includes('reset')).toBe(anew);
  });

  it('reset a watcher that was sent a client from before, and no watcher after them', async () => {
    const early = open();
    early.record(1, 0, at(2));
    await early.reach(at(2));
    await early.reach(at(9, 6));
    expect(early.sent()).toEqual(['to 2: c1 c2', 'reset', 'to 8: c7 c8', 'to 9: c9']);
    const late = open();
    late.record(1, 0, at(8));
    await late.reach(at(8));
    await late.reach(at(9, 8));
    expect(late.sent()).not.toContain('reset');
  });
});

describe('a part', () => {
  it.each([499, 500])('of %d clients that fit holds them all', (count) => {
    const clients = Array.from({ length: count }, (_, i) => client(i + 1));
    const page = toPage({ clients, state: at(1_000) });
    // For as many rows as requested there may be more.
    expect(page.revision).toBe(count === 500 ? 500n : 1_000n);
  });

  it('ends before 256 KiB, and the next one begins with the client that did not fit', () => {
    const clients = Array.from({ length: 400 }, (_, i) => ({
      ...client(i + 1),
      redirectDigests: Buffer.alloc(320),
      redirectUriDigests: Buffer.alloc(320),
      certificates: Array.from({ length: 5 }, () => ({
        thumbprint: 'A'.repeat(43),
        notAfter: 253_402_300_799n,
        roles: ['PSP_AI', 'PSP_PI'],
      })),
    }));
    const page = toPage({ clients, state: at(1_000) });
    expect(page.message.length).toBeLessThanOrEqual(256 * 1_024);
    expect(page.message.length).toBeGreaterThan(224 * 1_024);
    const { message } = WatchResponse.decode(page.message);
    expect(message).toMatchObject({ $case: 'part', value: { revision: page.revision } });
    expect(Number(page.revision)).toBeLessThan(400);
  });

  it('holds one client, whatever its size', () => {
    const large = { ...client(1), redirectDigests: Buffer.alloc(300_000) };
    expect(toPage({ clients: [large, client(2)], state: at(2) }).revision).toBe(1n);
  });
});
