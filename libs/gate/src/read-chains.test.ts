import { ReadChains } from './read-chains.ts';

const chain = (): readonly Uint8Array[] => [new Uint8Array(1)];

describe('chains that were read before', () => {
  it('are the same objects for the same text, and others for another', () => {
    const chains = new ReadChains();
    const first = chains.get('a', '', chain);
    expect(chains.get('a', '', chain)).toBe(first);
    expect(chains.get('b', '', chain)).not.toBe(first);
  });

  it('are told apart by what follows the leaf', () => {
    const chains = new ReadChains();
    const first = chains.get('a', 'b', chain);
    expect(chains.get('a', 'c', chain)).not.toBe(first);
    expect(chains.get('a', 'b', chain)).not.toBe(first);
    expect(chains.get('ab', '', chain)).not.toBe(chains.get('a', 'b', chain));
  });

  it('are not kept when they cannot be read', () => {
    const chains = new ReadChains();
    const fail = (): never => {
      throw new Error('no chain');
    };
    expect(() => chains.get('a', '', fail)).toThrow('no chain');
    expect(() => chains.get('a', '', fail)).toThrow('no chain');
  });

  it('take bounded memory, and the one used longest ago goes first', () => {
    const chains = new ReadChains(6);
    const [a, b] = [chains.get('aaa', '', chain), chains.get('bbb', '', chain)];
    expect(chains.get('aaa', '', chain)).toBe(a);
    chains.get('c', '', chain);
    expect(chains.get('aaa', '', chain)).toBe(a);
    expect(chains.get('bbb', '', chain)).not.toBe(b);
  });

  it('of which the rest takes room, too, as long as it is kept', () => {
    const chains = new ReadChains(6);
    const a = chains.get('aa', 'a', chain);
    expect(chains.get('aa', 'a', chain)).toBe(a);
    const b = chains.get('bb', 'b', chain);
    expect(chains.get('aa', 'a', chain)).toBe(a);
    expect(chains.get('bb', 'b', chain)).toBe(b);
    chains.get('c', '', chain);
    expect(chains.get('aa', 'a', chain)).not.toBe(a);
  });

  it('longer than all that may be kept are read each time', () => {
    const chains = new ReadChains(2);
    expect(chains.get('aaa', '', chain)).not.toBe(chains.get('aaa', '', chain));
  });
});
