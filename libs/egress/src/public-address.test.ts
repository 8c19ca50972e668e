import { isAllowedAddress } from './public-address.ts';

const open = { allowLoopback: false };
const sandbox = { allowLoopback: true };

describe('an address that requests may reach (§6: public addresses only)', () => {
  it.each(['8.8.8.8', '193.88.1.1', '2606:4700::1111', '::ffff:8.8.8.8'])('takes %s', (address) => {
    expect(isAllowedAddress(address, open)).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '127.255.0.9',
    '::1',
    '::ffff:127.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '224.0.0.1',
    '192.0.0.8',
    '192.0.2.1',
    '198.18.0.1',
    '240.0.0.1',
    '::',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '::10.0.0.1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    '2001::1',
    '2001:db8::1',
    'fd00::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '4000::1',
    'example.com',
    '',
  ])('refuses %s', (address) => {
    expect(isAllowedAddress(address, open)).toBe(false);
  });

  it('takes loopback only where the rule allows it, and nothing else more', () => {
    expect(isAllowedAddress('127.0.0.1', sandbox)).toBe(true);
    expect(isAllowedAddress('::1', sandbox)).toBe(true);
    expect(isAllowedAddress('10.0.0.1', sandbox)).toBe(false);
    expect(isAllowedAddress('169.254.169.254', sandbox)).toBe(false);
  });
});
