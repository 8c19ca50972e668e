import { readRange } from './address-range.ts';
import { isAllowedAddress, isPublicAddress } from './public-address.ts';

const open = { allowLoopback: false };
const sandbox = { allowLoopback: true };

/** Blocks that are not public: what they are, first and last address, and the public neighbours on both sides. */
const CLOSED_V4: readonly [string, string, string, string?, string?][] = [
  ['this network', '0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
  ['private', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['shared', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['link-local', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['private', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['protocol assignments', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['documentation', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['AS112', '192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
  ['AMT', '192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
  ['6to4 relays', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['private', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['AS112', '192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
  ['benchmarking', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['documentation', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['documentation', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['multicast', '224.0.0.0', '239.255.255.255', '223.255.255.255'],
  ['reserved', '240.0.0.0', '255.255.255.254'],
  ['broadcast', '255.255.255.255', '255.255.255.255'],
];

const rest = (groups: number): string => Array<string>(groups).fill('ffff').join(':');

const CLOSED_V6: readonly [string, string, string, string?, string?][] = [
  ['unspecified', '::', '::'],
  ['loopback', '::1', '::1'],
  ['IPv4-compatible', '::0.0.0.2', '::255.255.255.255'],
  ['IPv4-translated', '::ffff:0:0:0', '::ffff:0:255.255.255.255'],
  ['NAT64', '64:ff9b::', '64:ff9b::255.255.255.255'],
  ['NAT64, local use', '64:ff9b:1::', `64:ff9b:1:${rest(5)}`],
  ['discard', '100::', `100::${rest(4)}`],
  ['everything before global unicast', '::2', `1fff:${rest(7)}`, undefined, '2000::'],
  ['Teredo and protocol assignments', '2001::', `2001:1ff:${rest(6)}`, `2000:${rest(7)}`, '2001:200::'],
  ['documentation', '2001:db8::', `2001:db8:${rest(6)}`, `2001:db7:${rest(6)}`, '2001:db9::'],
  ['6to4', '2002::', `2002:${rest(7)}`, `2001:${rest(7)}`, '2003::'],
  ['AS112', '2620:4f:8000::', `2620:4f:8000:${rest(5)}`, `2620:4f:7fff:${rest(5)}`, '2620:4f:8001::'],
  ['documentation', '3fff::', `3fff:fff:${rest(6)}`, `3ffe:${rest(7)}`, '3fff:1000::'],
  ['everything after global unicast', '4000::', `fbff:${rest(7)}`, `3fff:${rest(7)}`],
  ['segment routing', '5f00::', `5f00:${rest(7)}`],
  ['unique local', 'fc00::', `fdff:${rest(7)}`],
  ['link-local', 'fe80::', `febf:${rest(7)}`],
  ['link-local with zone', 'fe80::%eth0', `febf:${rest(7)}%1`],
  ['site-local', 'fec0::', `feff:${rest(7)}`],
  ['multicast', 'ff00::', `ffff:${rest(7)}`],
];

const neighboursOf = (rows: typeof CLOSED_V4): string[] =>
  rows.flatMap(([, , , before, after]) => [before, after].filter((given) => given !== undefined));

describe('an address that requests may reach (§6: public addresses only)', () => {
  it.each([...CLOSED_V4, ...CLOSED_V6])('is not in %s, from %s to %s', (_what, first, last) => {
    for (const address of [first, last]) {
      expect(isAllowedAddress(address, open)).toBe(false);
      expect(isPublicAddress(address)).toBe(false);
    }
  });

  it.each([...neighboursOf(CLOSED_V4), ...neighboursOf(CLOSED_V6)])(
    'is %s, next to a closed block',
    (address) => {
      expect(isAllowedAddress(address, open)).toBe(true);
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each(CLOSED_V4)('is none of %s, from %s to %s, inside an IPv6 one', (_what, first, last) => {
    for (const address of [first, last])
      for (const form of [`::ffff:${address}`, `::${address}`, `64:ff9b::${address}`])
        expect(isAllowedAddress(form, open)).toBe(false);
  });

  it('is a public IPv4 address in the mapped IPv6 form', () => {
    for (const address of neighboursOf(CLOSED_V4)) {
      expect(isAllowedAddress(`::ffff:${address}`, open)).toBe(true);
      expect(isAllowedAddress(`::${address}`, open)).toBe(false);
      expect(isAllowedAddress(`64:ff9b::${address}`, open)).toBe(false);
    }
  });

  it.each([
    'example.com',
    '',
    '2002:a00:1::',
    '2001:0:a00:1::',
    '::ffff:a9fe:a9fe',
    '[2003::]',
    '8.8.8.8/32',
    '134744072',
    '8.8.2056',
  ])('is not %p', (address) => {
    expect(isAllowedAddress(address, open)).toBe(false);
    expect(isAllowedAddress(address, sandbox)).toBe(false);
  });

  it('is a loopback address only if the rule allows it', () => {
    for (const address of ['127.0.0.0', '127.255.255.255', '::1', '::ffff:127.0.0.1'])
      expect(isAllowedAddress(address, sandbox)).toBe(true);
    for (const [what, first, last] of [...CLOSED_V4, ...CLOSED_V6].filter(([name]) => name !== 'loopback'))
      for (const address of [first, last])
        expect([what, address, isAllowedAddress(address, sandbox)]).toEqual([what, address, false]);
    expect(isAllowedAddress('64:ff9b::127.0.0.1', sandbox)).toBe(false);
  });
});

describe('blocks that an operator opens and closes', () => {
  const rule = (allow: string[], deny: string[] = [], allowLoopback = false) => ({
    allowLoopback,
    allow: allow.map(readRange),
    deny: deny.map(readRange),
  });

  it('open exactly their addresses, also in mapped form', () => {
    const given = rule(['10.20.0.0/16', 'fd12:3456::/32']);
    for (const address of [
      '10.20.0.0',
      '10.20.255.255',
      '::ffff:10.20.0.0',
      'fd12:3456::',
      `fd12:3456:${rest(6)}`,
    ])
      expect([address, isAllowedAddress(address, given)]).toEqual([address, true]);
    for (const address of ['10.19.255.255', '10.21.0.0', `fd12:3455:${rest(6)}`, 'fd12:3457::', '127.0.0.1'])
      expect([address, isAllowedAddress(address, given)]).toEqual([address, false]);
    expect(isAllowedAddress('8.8.8.8', given)).toBe(true);
  });

  it('close exactly their addresses, also in mapped form, public and opened ones', () => {
    const given = rule(
      ['10.20.0.0/16'],
      ['10.20.30.0/24', '8.8.8.0/24', '2606:4700::/32', '127.0.0.0/8'],
      true,
    );
    for (const address of [
      '10.20.30.0',
      '10.20.30.255',
      '8.8.8.0',
      '8.8.8.255',
      '::ffff:8.8.8.8',
      '2606:4700::',
      `2606:4700:${rest(6)}`,
      '127.0.0.1',
    ])
      expect([address, isAllowedAddress(address, given)]).toEqual([address, false]);
    for (const address of ['10.20.29.255', '10.20.31.0', '8.8.7.255', '8.8.9.0', '2606:4701::', '::1'])
      expect([address, isAllowedAddress(address, given)]).toEqual([address, true]);
  });

  it('open a translated address if its IPv4 address is open', () => {
    const given = rule(['64:ff9b::/96', '10.20.0.0/16'], ['8.8.8.0/24']);
    for (const address of ['64:ff9b::9.9.9.9', '64:ff9b::10.20.0.1'])
      expect([address, isAllowedAddress(address, given)]).toEqual([address, true]);
    for (const inner of ['10.21.0.1', '8.8.8.8', '127.0.0.1', '169.254.169.254'])
      expect([inner, isAllowedAddress(`64:ff9b::${inner}`, { ...given, allowLoopback: true })]).toEqual([
        inner,
        false,
      ]);
    expect(isAllowedAddress('64:ff9b::10.20.0.1', rule(['10.20.0.0/16']))).toBe(false);
  });
});
