import fc from 'fast-check';
import { DueQueue } from './due-queue.ts';

/** Commands for a queue of few keys: a key is due at a time, or no longer due. */
const commands = fc.array(
  fc.record({ key: fc.nat(12).map(String), at: fc.option(fc.nat(100), { nil: undefined }) }),
);

describe('payments fall due in the order of their time (§3.2)', () => {
  it('returns due entries, earliest first, each once, with its last value', () => {
    fc.assert(
      fc.property(commands, fc.nat(100), (said, now) => {
        const queue = new DueQueue<number>();
        const expected = new Map<string, number>();
        for (const { key, at } of said) {
          if (at === undefined) {
            queue.remove(key);
            expected.delete(key);
          } else {
            queue.put({ at, key, item: at });
            expected.set(key, at);
          }
          expect(queue.size).toBe(expected.size);
        }
        const taken: [string, number][] = [];
        for (let entry = queue.take(now); entry; entry = queue.take(now)) taken.push([entry.key, entry.item]);
        const due = [...expected].filter(([, at]) => at <= now);
        expect(taken.map(([, at]) => at)).toEqual(due.map(([, at]) => at).toSorted((a, b) => a - b));
        expect(new Map(taken)).toEqual(new Map(due));
        expect(queue.size).toBe(expected.size - due.length);
      }),
      { numRuns: 500 },
    );
  });
});
