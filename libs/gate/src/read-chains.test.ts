import { ReadChains } from './read-chains.ts';

const chain = (): readonly Uint8Array[] => [new Uint8Array(1)];

describe('chains that were read before', () => {
  it('are the same objects for the same text, and others for another', () => {
    const chains = new ReadChains();
    const first = chains.get('a', chain);
    expect(chains.get('a', chain)).toBe(first);
    expect(chains.get('b', chain)).not.toBe(first);
  });

  it('are not kept when they cannot be read', () => {
    const chains = new ReadChains();
    const fail = (): never => {
      throw new Error('no chain');
    };
    expect(() => chains.get('a', fail)).toThrow('no chain');
    expect(() => chains.get('a', fail)).toThrow('no chain');
  });

  it('take bounded memory, and the one used longest ago goes first', () => {
    const chains = new ReadChains(6);
    const [a, b] = [chains.get('aaa', chain), chains.get('bbb', chain)];
    expect(chains.get('aaa', chain)).toBe(a);
    chains.get('c', chain);
    expect(chains.get('aaa', chain)).toBe(a);
    expect(chains.get('bbb', chain)).not.toBe(b);
  });

  it('longer than all that may be kept are read each time', () => {
    const chains = new ReadChains(2);
    expect(chains.get('aaa', chain)).not.toBe(chains.get('aaa', chain));
  });
});
