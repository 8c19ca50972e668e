import { ReadChains } from './read-chains.ts';

const chain = (): readonly Uint8Array[] => [new Uint8Array(1)];

describe('the cache of chains', () => {
  it('returns the same object for the same text', () => {
    const chains = new ReadChains();
    const first = chains.get('a', '', chain);
    expect(chains.get('a', '', chain)).toBe(first);
    expect(chains.get('b', '', chain)).not.toBe(first);
  });

  it('distinguishes chains by the certificates after the leaf', () => {
    const chains = new ReadChains();
    const first = chains.get('a', 'b', chain);
    expect(chains.get('a', 'c', chain)).not.toBe(first);
    expect(chains.get('a', 'b', chain)).not.toBe(first);
    expect(chains.get('ab', '', chain)).not.toBe(chains.get('a', 'b', chain));
  });

  it('keeps no unreadable chain', () => {
    const chains = new ReadChains();
    const fail = (): never => {
      throw new Error('no chain');
    };
    expect(() => chains.get('a', '', fail)).toThrow('no chain');
    expect(() => chains.get('a', '', fail)).toThrow('no chain');
  });

  it('is bounded and evicts the least recently used chain', () => {
    const chains = new ReadChains(6);
    const [a, b] = [chains.get('aaa', '', chain), chains.get('bbb', '', chain)];
    expect(chains.get('aaa', '', chain)).toBe(a);
    chains.get('c', '', chain);
    expect(chains.get('aaa', '', chain)).toBe(a);
    expect(chains.get('bbb', '', chain)).not.toBe(b);
  });

  it('counts the whole chain', () => {
    const chains = new ReadChains(6);
    const a = chains.get('aa', 'a', chain);
    expect(chains.get('aa', 'a', chain)).toBe(a);
    const b = chains.get('bb', 'b', chain);
    expect(chains.get('aa', 'a', chain)).toBe(a);
    expect(chains.get('bb', 'b', chain)).toBe(b);
    chains.get('c', '', chain);
    expect(chains.get('aa', 'a', chain)).not.toBe(a);
  });

  it('does not keep a chain above the bound', () => {
    const chains = new ReadChains(2);
    expect(chains.get('aaa', '', chain)).not.toBe(chains.get('aaa', '', chain));
  });
});
