import { forgetStart } from '../src/forget-start.ts';

describe('the end of a start', () => {
  it('frees what nobody holds any more, without a flag of the process', () => {
    let left: object | undefined = { rows: Array.from({ length: 1_000_000 }, (_, at) => ({ at })) };
    const before = process.memoryUsage().heapUsed;
    expect(Object.keys(left)).toEqual(['rows']);
    left = undefined;
    forgetStart();
    // A row of one number takes 24 bytes and more.
    expect(before - process.memoryUsage().heapUsed).toBeGreaterThan(24_000_000);
    expect(left).toBeUndefined();
  });
});
