import { ExpiringCollection } from './expiring-collection.ts';

interface Item {
  id: string;
  lapsesAt: number;
  entries: number;
  organization: string;
}

const item = (id: string, lapsesAt: number, entries = 1, organization = 'org'): Item => ({
  id,
  lapsesAt,
  entries,
  organization,
});

describe('a collection keeps what lapses, and what it takes of the bounds (§8)', () => {
  let forgotten: string[];
  let collection: ExpiringCollection<Item>;
  const put = (clientId: string, ...items: Item[]): void =>
    items.forEach((each) => collection.put(clientId, each.id, each));

  beforeEach(() => {
    forgotten = [];
    collection = new ExpiringCollection<Item>({
      lapsesAt: ({ lapsesAt }) => lapsesAt,
      entries: ({ entries }) => entries,
      organization: ({ organization }) => organization,
      forgotten: ({ id }) => forgotten.push(id),
    });
  });

  it('finds an item of its client until the moment when it lapses', () => {
    put('one', item('a', 10));
    expect(collection.find('one', 'a', new Date(9))).toEqual(item('a', 10));
    expect(collection.find('one', 'a', new Date(10))).toBeUndefined();
    expect(collection.find('other', 'a', new Date(9))).toBeUndefined();
  });

  it('counts the entries of each client and of all, replaced and forgotten ones no more', () => {
    put('one', item('a', 10, 3), item('b', 20, 2));
    put('other', item('a', 10, 1));
    expect([collection.sizeOf('one'), collection.sizeOf('other'), collection.size]).toEqual([5, 1, 6]);
    put('one', item('a', 30, 4));
    expect([collection.sizeOf('one'), collection.size, forgotten]).toEqual([6, 7, ['a']]);
    collection.sweep('one', new Date(20));
    expect([collection.sizeOf('one'), collection.size, forgotten]).toEqual([4, 5, ['a', 'b']]);
  });

  it('replaces an item where it stands, and forgets none', () => {
    put('one', item('a', 10, 3), item('b', 20));
    collection.replace('one', 'a', item('a', 10, 5, 'another'));
    expect([collection.sizeOf('one'), collection.sizeOfOrganization('org'), collection.size]).toEqual([
      6, 1, 6,
    ]);
    expect([collection.find('one', 'a', new Date(9)), forgotten]).toEqual([item('a', 10, 5, 'another'), []]);
    collection.sweep('one', new Date(10));
    expect([collection.sizeOf('one'), forgotten]).toEqual([1, ['a']]);
    expect(() => collection.replace('one', 'a', item('a', 10))).toThrow('nothing to replace');
  });

  it('counts the entries of an organization over all its clients', () => {
    put('one', item('a', 10, 3));
    put('two', item('a', 20, 2), item('b', 20, 1, 'another'));
    expect([collection.sizeOfOrganization('org'), collection.sizeOfOrganization('another')]).toEqual([5, 1]);
    put('one', item('a', 10, 4));
    expect(collection.sizeOfOrganization('org')).toBe(6);
    collection.drop('two', () => false);
    expect([collection.sizeOfOrganization('org'), collection.sizeOfOrganization('another')]).toEqual([4, 0]);
  });

  it('sweeps past what does not lapse, and stops where the rest still lives', () => {
    put('one', item('for ever', Infinity), item('a', 10), item('b', 11));
    collection.sweep('one', new Date(10));
    expect(forgotten).toEqual(['a']);
  });

  it('keeps nothing of a client that has no item left', () => {
    put('one', item('a', 10), item('b', 10));
    put('other', item('a', 10));
    collection.drop('one', ({ id }) => id === 'b');
    expect([...collection.clientIds()]).toEqual(['one', 'other']);
    collection.drop('one', () => false);
    collection.sweep('other', new Date(10));
    expect([...collection.clientIds()]).toEqual([]);
  });
});
