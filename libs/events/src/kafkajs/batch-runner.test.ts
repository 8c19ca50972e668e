import { jest } from '@jest/globals';
import type { EachBatchPayload } from 'kafkajs';
import type { Membership } from '../kafka.ts';
import { BatchRunner } from './batch-runner.ts';

type Offsets = NonNullable<Parameters<EachBatchPayload['commitOffsetsIfNecessary']>[0]>;

/** The calls to kafkajs, in order. */
let asked: string[];
let committed: Offsets[];
let closing: AbortController;
let work: Membership['take'];
let notCommitted: unknown[];
let runner: BatchRunner;

beforeEach(() => {
  jest.useFakeTimers();
  [asked, committed, notCommitted, closing] = [[], [], [], new AbortController()];
  work = async () => true;
  const membership: Membership = {
    groupId: 'g',
    topics: ['slow', 'other'],
    sessionTimeoutMs: 10_000,
    take: (batches, mayGoOn) => work(batches, mayGoOn),
    onMembership: () => {},
    closing: closing.signal,
  };
  runner = new BatchRunner({ membership, onNotCommitted: (error) => notCommitted.push(error) });
});
afterEach(() => {
  jest.useRealTimers();
});

/** A batch of one record as kafkajs hands it over. */
function batch(
  topic: string,
  offset: number,
  commit: () => Promise<void> = async () => {},
  { partition = 0, records = 1 } = {},
): EachBatchPayload {
  const note = (what: string): void => void asked.push(`${what} ${topic} ${offset}`);
  const message = { key: null, value: null, offset: String(offset), timestamp: '0', headers: {} };
  const payload = {
    batch: {
      topic,
      partition,
      messages: Array.from({ length: records }, () => message),
      firstOffset: () => String(offset + 1 - records),
      lastOffset: () => String(offset),
    },
    isRunning: () => true,
    pause: () => {
      note('pause');
      return () => note('resume');
    },
    commitOffsetsIfNecessary: async (offsets: Offsets) => {
      await commit();
      note('commit');
      committed.push(offsets);
    },
    resolveOffset: () => note('resolve'),
  };
  return payload as unknown as EachBatchPayload;
}

/** Work that lasts until it is ended. */
function lasting(): { end: () => void; mayGoOn: () => boolean } {
  const seen = { end: (): void => {}, mayGoOn: (): boolean => false };
  const ended = new Promise<void>((resolve) => (seen.end = resolve));
  work = async (_batch, mayGoOn) => {
    seen.mayGoOn = mayGoOn;
    await ended;
    return true;
  };
  return seen;
}

const pass = (milliseconds: number): Promise<void> => jest.advanceTimersByTimeAsync(milliseconds);

/** So long offsets are gathered. */
const GATHER_MS = 200;

/** Work that notes which partitions it gets, with how many records; the first lasts until it is ended. */
function noting(): { turns: [partition: number, records: number][][]; end: () => void } {
  const turns: [number, number][][] = [];
  const first = Promise.withResolvers<void>();
  work = async (batches) => {
    turns.push(batches.map(({ partition, records }) => [partition, records.length]));
    if (turns.length === 1) await first.promise;
    return true;
  };
  return { turns, end: first.resolve };
}

describe('the batches of several partitions', () => {
  const of = (partition: number, records?: number): EachBatchPayload =>
    batch('many', 10 * partition, undefined, { partition, ...(records && { records }) });

  it('make runs of 2,000 records, with whole batches', async () => {
    const { turns, end } = noting();
    end();
    await Promise.all(
      [
        [1, 1_999],
        [2, 1],
        [3, 5_000],
        [4, 1],
      ].map(([partition, records]) => runner.run(of(partition!, records))),
    );
    expect(turns).toEqual([
      [
        [1, 1_999],
        [2, 1],
      ],
      [[3, 5_000]],
      [[4, 1]],
    ]);
  });

  it('that wait when the group gets a new generation are not stored', async () => {
    const { turns, end } = noting();
    const taken = [runner.run(of(1))];
    await pass(0);
    taken.push(runner.run(of(2)));
    runner.onRevoked();
    taken.push(runner.run(of(3)));
    end();
    await Promise.all(taken);
    await runner.drain();
    expect(turns).toEqual([[[1, 1]], [[3, 1]]]);
    expect(asked).toEqual(['resolve many 30', 'commit many 30']);
  });
});

describe('offsets of stored records', () => {
  const away = new Error('the coordinator is away');
  const places = () =>
    committed.map(({ topics }) =>
      topics.flatMap(({ topic, partitions }) =>
        partitions.map(({ partition, offset }) => `${topic}/${partition} ${offset}`),
      ),
    );

  it('that fail are committed with the next ones, and an outage is reported once', async () => {
    const refuse = () => Promise.reject(away);
    await runner.run(batch('other', 7, refuse));
    await runner.run(batch('other', 3, refuse, { partition: 1 }));
    await pass(3 * GATHER_MS);
    expect(notCommitted).toEqual([away]);
    await runner.run(batch('other', 8));
    await pass(GATHER_MS);
    expect(places()).toEqual([['other/0 9', 'other/1 4']]);
    await runner.run(batch('other', 9, refuse));
    await pass(GATHER_MS);
    expect(notCommitted).toEqual([away, away]);
  });

  it('are dropped once the group has a new generation', async () => {
    const answer = Promise.withResolvers<void>();
    await runner.run(batch('other', 7, () => answer.promise));
    await pass(GATHER_MS);
    await runner.run(batch('other', 8));
    runner.onRevoked();
    answer.reject(away);
    await pass(10 * GATHER_MS);
    await runner.drain();
    expect(committed).toEqual([]);
    await runner.run(batch('slow', 1));
    await runner.drain();
    expect(places()).toEqual([['slow/0 2']]);
  });

  it.each([
    ['of the request that is under way', async () => pass(GATHER_MS)],
    ['of the last request', async () => {}],
  ])('are given up at shutdown if the broker does not answer within 3 s: %s', async (_, begin) => {
    await runner.run(batch('other', 7, () => new Promise(() => {})));
    await begin();
    let isEmpty = false;
    const empty = runner.drain().then(() => (isEmpty = true));
    await pass(2_999);
    expect(isEmpty).toBe(false);
    await pass(1);
    await empty;
    expect([isEmpty, committed]).toEqual([true, []]);
    // After a revocation the member waits once more for batches in flight, and for no offsets.
    runner.onRevoked();
    await expect(runner.idle()).resolves.toBeUndefined();
  });
});

describe('a batch in flight', () => {
  it('is dropped when the group gets a new generation: resumed and not committed', async () => {
    const slow = lasting();
    const taken = runner.run(batch('slow', 1));
    await pass(1_000);
    await taken;
    expect(slow.mayGoOn()).toBe(true);
    runner.onRevoked();
    expect(slow.mayGoOn()).toBe(false);
    slow.end();
    await runner.drain();
    expect(asked).toEqual(['pause slow 1', 'resume slow 1']);
  });
});
