import { jest } from '@jest/globals';
import type { EachBatchPayload } from 'kafkajs';
import type { Membership } from '../kafka.ts';
import { BatchRunner } from './batch-runner.ts';

type Offsets = NonNullable<Parameters<EachBatchPayload['commitOffsetsIfNecessary']>[0]>;

/** What was asked of kafkajs, in its order. */
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

  it('of one answer are stored together, and committed together', async () => {
    const { turns, end } = noting();
    end();
    await Promise.all([1, 2, 3].map((partition) => runner.run(of(partition))));
    await pass(GATHER_MS);
    expect(turns).toEqual([
      [
        [1, 1],
        [2, 1],
        [3, 1],
      ],
    ]);
    const offset = (partition: number) => ({ partition, offset: String(10 * partition + 1) });
    expect(committed).toEqual([{ topics: [{ topic: 'many', partitions: [1, 2, 3].map(offset) }] }]);
    expect(asked).toEqual(['resolve many 10', 'resolve many 20', 'resolve many 30', 'commit many 10']);
  });

  it('say which offsets they are, which are those that are committed', async () => {
    const ranges: unknown[] = [];
    work = async (batches) => {
      ranges.push(...batches.map(({ range }) => range));
      return true;
    };
    await Promise.all([runner.run(of(1)), runner.run(of(2, 5))]);
    await runner.drain();
    expect(ranges).toEqual([
      { topic: 'many', partition: 1, from: 10n, to: 11n },
      { topic: 'many', partition: 2, from: 16n, to: 21n },
    ]);
    expect(committed).toEqual([
      {
        topics: [
          {
            topic: 'many',
            partitions: [
              { partition: 1, offset: '11' },
              { partition: 2, offset: '21' },
            ],
          },
        ],
      },
    ]);
  });

  it('that come meanwhile wait for the next turn', async () => {
    const { turns, end } = noting();
    const taken = [runner.run(of(1))];
    await pass(0);
    taken.push(runner.run(of(2)), runner.run(of(3)));
    await pass(0);
    expect(turns).toEqual([[[1, 1]]]);
    end();
    await Promise.all(taken);
    expect(turns.slice(1)).toEqual([
      [
        [2, 1],
        [3, 1],
      ],
    ]);
  });

  it('make a turn of 2,000 records, and of whole batches', async () => {
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

  it('that waited when the group moved on are not stored', async () => {
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

  it('come again together when they cannot be stored', async () => {
    const fault = new Error('fault');
    work = () => Promise.reject(fault);
    const results = await Promise.allSettled([runner.run(of(1)), runner.run(of(2))]);
    expect(results).toEqual([1, 2].map(() => ({ status: 'rejected', reason: fault })));
    await runner.drain();
    expect(asked).toEqual([]);
  });
});

describe('offsets of what was stored', () => {
  const away = new Error('the coordinator is away');
  const places = () =>
    committed.map(({ topics }) =>
      topics.flatMap(({ topic, partitions }) =>
        partitions.map(({ partition, offset }) => `${topic}/${partition} ${offset}`),
      ),
    );

  it('are committed 200 ms later, those of all topics and turns at once, the last of each partition', async () => {
    await runner.run(batch('other', 7));
    await pass(GATHER_MS - 1);
    await runner.run(batch('other', 8));
    await runner.run(batch('other', 3, undefined, { partition: 1 }));
    await runner.run(batch('slow', 5));
    expect(committed).toEqual([]);
    await pass(1);
    expect(places()).toEqual([['other/0 9', 'other/1 4', 'slow/0 6']]);
    await pass(10 * GATHER_MS);
    expect(committed).toHaveLength(1);
  });

  it('wait for the request that is under way', async () => {
    const answer = Promise.withResolvers<void>();
    await runner.run(batch('other', 7, () => answer.promise));
    await pass(GATHER_MS);
    await runner.run(batch('other', 8));
    await pass(10 * GATHER_MS);
    expect(committed).toEqual([]);
    answer.resolve();
    await pass(GATHER_MS);
    expect(places()).toEqual([['other/0 8'], ['other/0 9']]);
  });

  it('that are not taken are committed with the next, as far as that got; of an outage it is told once', async () => {
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

  it('that are not taken are committed with what is stored while the broker thinks', async () => {
    const answer = Promise.withResolvers<void>();
    await runner.run(batch('other', 7, () => answer.promise));
    await runner.run(batch('other', 3, () => answer.promise, { partition: 1 }));
    await pass(GATHER_MS);
    await runner.run(batch('other', 8));
    answer.reject(away);
    await pass(GATHER_MS);
    expect(places()).toEqual([['other/0 9', 'other/1 4']]);
  });

  it('are not committed once the group has moved on, nor put back', async () => {
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

  it('are committed at once when we end, after the request that is under way', async () => {
    const answer = Promise.withResolvers<void>();
    await runner.run(batch('other', 7, () => answer.promise));
    await pass(GATHER_MS);
    await runner.run(batch('other', 8));
    const empty = runner.drain();
    answer.resolve();
    await empty;
    expect(places()).toEqual([['other/0 8'], ['other/0 9']]);
  });

  it.each([
    ['of the request that is under way', async () => pass(GATHER_MS)],
    ['of the last request', async () => {}],
  ])('are given up when we end and the broker has not answered in 3 s: %s', async (_, begin) => {
    await runner.run(batch('other', 7, () => new Promise(() => {})));
    await begin();
    let isEmpty = false;
    const empty = runner.drain().then(() => (isEmpty = true));
    await pass(2_999);
    expect(isEmpty).toBe(false);
    await pass(1);
    await empty;
    expect([isEmpty, committed]).toEqual([true, []]);
    // Whoever has let go asks once more what is in hand, and waits for no offsets.
    runner.onRevoked();
    await expect(runner.idle()).resolves.toBeUndefined();
  });
});

describe('a batch in hand', () => {
  it('that is stored soon is waited for by kafkajs, which goes on before it is committed; nothing is paused', async () => {
    await runner.run(batch('other', 7));
    expect(asked).toEqual(['resolve other 7']);
  });

  it('that is given up is not committed', async () => {
    work = async () => false;
    await runner.run(batch('other', 7));
    await runner.drain();
    expect(asked).toEqual([]);
  });

  it('that takes its time is paused for, committed later, and the next one of its topic is not waited for', async () => {
    const slow = lasting();
    const taken = runner.run(batch('slow', 1));
    await pass(1_000);
    await taken;
    await runner.run(batch('slow', 2));
    expect(asked).toEqual(['pause slow 1', 'pause slow 2']);
    work = async () => true;
    await runner.run(batch('other', 5));
    await pass(GATHER_MS);
    expect(asked.slice(2)).toEqual(['resolve other 5', 'commit other 5']);
    slow.end();
    await runner.drain();
    await pass(0);
    expect(asked.slice(4).toSorted()).toEqual(
      ['commit slow 2', 'resolve slow 1', 'resolve slow 2', 'resume slow 1', 'resume slow 2'].toSorted(),
    );
    expect(asked.indexOf('resolve slow 1')).toBeLessThan(asked.indexOf('resolve slow 2'));
  });

  it('is let go when the group moves on: resumed, not worked on any more, not committed', async () => {
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

  it('comes again when it cannot be stored, however long that took', async () => {
    const fault = new Error('fault');
    const stored = Promise.withResolvers<boolean>();
    work = () => stored.promise;
    const taken = runner.run(batch('slow', 1));
    await pass(1_000);
    await taken;
    stored.reject(fault);
    await runner.drain();
    await pass(0);
    expect(asked).toEqual(['pause slow 1', 'resume slow 1']);
    expect(notCommitted).toEqual([fault]);
  });

  it('is stored and committed when we close meanwhile; what comes then is put aside', async () => {
    const slow = lasting();
    const taken = runner.run(batch('slow', 1));
    await pass(0);
    closing.abort();
    expect(slow.mayGoOn()).toBe(false);
    await runner.run(batch('other', 5));
    slow.end();
    await taken;
    await runner.drain();
    expect(asked).toEqual(['pause other 5', 'resolve slow 1', 'commit slow 1']);
  });
});
