import { jest } from '@jest/globals';
import type { EachBatchPayload } from 'kafkajs';
import type { Membership } from '../kafka.ts';
import { Hands } from './hands.ts';

type Offsets = Parameters<EachBatchPayload['commitOffsetsIfNecessary']>[0];

/** What was asked of kafkajs, in its order. */
let asked: string[];
let committed: Offsets[];
let closing: AbortController;
let work: Membership['take'];
let notCommitted: unknown[];
let hands: Hands;

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
  hands = new Hands({ membership, onNotCommitted: (error) => notCommitted.push(error) });
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
    await Promise.all([1, 2, 3].map((partition) => hands.take(of(partition))));
    expect(turns).toEqual([
      [
        [1, 1],
        [2, 1],
        [3, 1],
      ],
    ]);
    const offset = (partition: number) => ({ partition, offset: String(10 * partition + 1) });
    expect(committed).toEqual([{ topics: [{ topic: 'many', partitions: [1, 2, 3].map(offset) }] }]);
    expect(asked).toEqual(['commit many 10', 'resolve many 10', 'resolve many 20', 'resolve many 30']);
  });

  it('say which offsets they are, which are those that are committed', async () => {
    const ranges: unknown[] = [];
    work = async (batches) => {
      ranges.push(...batches.map(({ range }) => range));
      return true;
    };
    await Promise.all([hands.take(of(1)), hands.take(of(2, 5))]);
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
    const taken = [hands.take(of(1))];
    await pass(0);
    taken.push(hands.take(of(2)), hands.take(of(3)));
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
      ].map(([partition, records]) => hands.take(of(partition!, records))),
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
    const taken = [hands.take(of(1))];
    await pass(0);
    taken.push(hands.take(of(2)));
    hands.letGo();
    taken.push(hands.take(of(3)));
    end();
    await Promise.all(taken);
    expect(turns).toEqual([[[1, 1]], [[3, 1]]]);
    expect(asked).toEqual(['commit many 30', 'resolve many 30']);
  });

  it('come again together when their offsets are not taken', async () => {
    const away = new Error('the coordinator is away');
    const first = batch('many', 10, () => Promise.reject(away), { partition: 1 });
    const results = await Promise.allSettled([hands.take(first), hands.take(of(2))]);
    expect(results).toEqual([1, 2].map(() => ({ status: 'rejected', reason: away })));
    expect(asked).toEqual([]);
    await hands.take(of(2));
    expect(asked).toEqual(['commit many 20', 'resolve many 20']);
  });
});

describe('a batch in hand', () => {
  it('that is stored soon is committed while kafkajs waits, and nothing is paused', async () => {
    await hands.take(batch('other', 7));
    expect(asked).toEqual(['commit other 7', 'resolve other 7']);
  });

  it('that is given up is not committed', async () => {
    work = async () => false;
    await hands.take(batch('other', 7));
    expect(asked).toEqual([]);
  });

  it('that takes its time is paused for, committed later, and the next one of its topic is not waited for', async () => {
    const slow = lasting();
    const taken = hands.take(batch('slow', 1));
    await pass(1_000);
    await taken;
    await hands.take(batch('slow', 2));
    expect(asked).toEqual(['pause slow 1', 'pause slow 2']);
    work = async () => true;
    await hands.take(batch('other', 5));
    expect(asked.slice(2)).toEqual(['commit other 5', 'resolve other 5']);
    slow.end();
    await hands.empty();
    await pass(0);
    expect(asked.slice(4).toSorted()).toEqual(
      [1, 2]
        .flatMap((offset) => [`commit slow ${offset}`, `resolve slow ${offset}`, `resume slow ${offset}`])
        .toSorted(),
    );
    expect(asked.indexOf('commit slow 1')).toBeLessThan(asked.indexOf('commit slow 2'));
  });

  it('is let go when the group moves on: resumed, not worked on any more, not committed', async () => {
    const slow = lasting();
    const taken = hands.take(batch('slow', 1));
    await pass(1_000);
    await taken;
    expect(slow.mayGoOn()).toBe(true);
    hands.letGo();
    expect(slow.mayGoOn()).toBe(false);
    slow.end();
    await hands.empty();
    expect(asked).toEqual(['pause slow 1', 'resume slow 1']);
  });

  it('comes again when its offset is not taken', async () => {
    const away = new Error('the coordinator is away');
    const slow = lasting();
    const taken = hands.take(batch('slow', 1, () => Promise.reject(away)));
    await pass(1_000);
    await taken;
    slow.end();
    await hands.empty();
    await pass(0);
    expect(asked).toEqual(['pause slow 1', 'resume slow 1']);
    expect(notCommitted).toEqual([away]);
    work = async () => true;
    await expect(hands.take(batch('other', 5, () => Promise.reject(away)))).rejects.toBe(away);
  });

  it('is stored and committed when we close meanwhile; what comes then is put aside', async () => {
    const slow = lasting();
    const taken = hands.take(batch('slow', 1));
    await pass(0);
    closing.abort();
    expect(slow.mayGoOn()).toBe(false);
    await hands.take(batch('other', 5));
    slow.end();
    await taken;
    expect(asked).toEqual(['pause other 5', 'commit slow 1', 'resolve slow 1']);
  });
});
