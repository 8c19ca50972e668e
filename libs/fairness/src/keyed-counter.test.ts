import { KeyedCounter } from './keyed-counter.ts';

describe('a keyed counter', () => {
  it('counts each key by itself and forgets a key whose count is zero', () => {
    const counter = new KeyedCounter();
    counter.add('a', 2);
    counter.add('b', 1);
    counter.add('a', 3);
    expect([counter.of('a'), counter.of('b'), counter.of('c'), counter.size]).toEqual([5, 1, 0, 2]);
    counter.add('a', -5);
    expect([...counter.entries()]).toEqual([['b', 1]]);
  });
});
