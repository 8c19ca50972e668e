import { isPrivateRange, readRange } from './address-range.ts';

describe('a block of addresses', () => {
  it.each(['10.0.0.0/8', '8.8.8.8/32', '0.0.0.0/0', '::/0', 'fd00::/8', '2001:db8::1/128'])(
    'is read from %s',
    (text) => {
      const [first, length] = readRange(text);
      expect(`${first.toString()}/${length}`).toBe(text);
    },
  );

  it.each([
    ['10.0.0.0', 'is no block'],
    ['10.0.0.0/', 'is no block'],
    ['10.0.0.0/33', 'is no block'],
    ['10.0.0.0/-1', 'is no block'],
    ['10.0.0.0/8/8', 'is no block'],
    ['10.0.0.0/0x8', 'is no block'],
    ['10/8', 'is no block'],
    ['0x0a.0.0.0/8', 'is no block'],
    ['bank.example/8', 'is no block'],
    ['fd00::/129', 'is no block'],
    ['fe80::%eth0/10', 'is no block'],
    ['', 'is no block'],
    ['10.0.0.1/8', 'has bits beyond'],
    ['10.64.0.0/9', 'has bits beyond'],
    ['fd00::1/64', 'has bits beyond'],
    ['::ffff:10.0.0.0/104', 'is IPv4'],
  ])('rejects %p', (text, fault) => {
    expect(() => readRange(text)).toThrow(fault);
  });

  it.each([
    '10.0.0.0/8',
    '10.255.255.255/32',
    '172.16.0.0/12',
    '172.31.255.255/32',
    '192.168.0.0/16',
    '100.64.0.0/10',
    'fc00::/7',
    'fdff::/16',
    '64:ff9b::/96',
  ])('can be opened: %s', (text) => {
    expect(isPrivateRange(readRange(text))).toBe(true);
  });

  it.each([
    '0.0.0.0/0',
    '10.0.0.0/7',
    '11.0.0.0/8',
    '172.0.0.0/8',
    '172.32.0.0/12',
    '192.168.0.0/15',
    '100.0.0.0/8',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '224.0.0.0/4',
    '8.8.8.0/24',
    '::/0',
    '::1/128',
    'fc00::/6',
    'fe80::/10',
    '64:ff9b::/95',
    '64:ff9b:1::/48',
    '2002::/16',
  ])('cannot be opened: %s', (text) => {
    expect(isPrivateRange(readRange(text))).toBe(false);
  });
});
