import fc from 'fast-check';
import { DueQueue } from './due-queue.ts';

describe('payments fall due in the order of their time (§3.2)', () => {
  it('hands out what is due, earliest first, and nothing before its time', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100)), fc.nat(100), (times, now) => {
        const queue = new DueQueue<number>();
        for (const at of times) queue.add({ at, item: at });
        const taken: number[] = [];
        for (let entry = queue.take(now); entry; entry = queue.take(now)) taken.push(entry.item);
        expect(taken).toEqual(times.filter((at) => at <= now).toSorted((a, b) => a - b));
        expect(queue.size).toBe(times.filter((at) => at > now).length);
      }),
    );
  });
});
