import { randomInt } from 'node:crypto';
import { callbackUrlFault, newSubscriptionKey } from './subscription.model.ts';

describe('subscriptionKey (§2.11, §8)', () => {
  const keys = Array.from({ length: 2_000 }, () => newSubscriptionKey((below) => randomInt(below)));

  it('is 32 characters, only letters A-Z and a-z', () => {
    for (const key of keys) expect(key).toMatch(/^[A-Za-z]{32}$/);
  });

  it('is new each time', () => {
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('has each letter equally often', () => {
    const counts = Map.groupBy(keys.join(''), (letter) => letter);
    const expected = (keys.length * 32) / 52;
    const chiSquare = [...counts.values()].reduce(
      (sum, { length }) => sum + (length - expected) ** 2 / expected,
      0,
    );
    expect(counts.size).toBe(52);
    // 51 degrees of freedom: above 120 about once in ten million runs; a remainder of 256 by 52 gives thousands.
    expect(chiSquare).toBeLessThan(120);
  });
});

const production = { allowLoopback: false };
const local = { allowLoopback: true };

describe('callbackUrl (§2.11)', () => {
  it.each([
    'https://tpp.example/hooks?tenant=1',
    'https://tpp.example:8443/',
    'https://8.8.8.8/hook',
    'https://[2606:4700::1111]/hook',
  ])('takes %s', (url) => {
    expect(callbackUrlFault(url, production)).toBeUndefined();
    expect(callbackUrlFault(url, local)).toBeUndefined();
  });

  it.each([
    ['http://tpp.example/', 'must be an https URL'],
    ['ftp://tpp.example/', 'must be an https URL'],
    ['javascript:alert(1)', 'must be an https URL'],
    ['tpp.example/hook', 'is not a URL'],
    ['https://', 'is not a URL'],
    ['https://user@tpp.example/', 'must not contain a user name or password'],
    ['https://user:secret@tpp.example/', 'must not contain a user name or password'],
    ['https://tpp.example/#part', 'must not contain a fragment'],
    ['https://tpp.example/#', 'must not contain a fragment'],
    ['https://tpp.example/a b', 'must be printable ASCII; percent-encode the rest'],
    ['https://tpp.example/\n', 'must be printable ASCII; percent-encode the rest'],
    [`https://tpp.example/${'a'.repeat(2_048)}`, 'is longer than 2048 characters'],
    ['https://localhost/', 'must lead to a public host'],
    ['https://x.localhost./', 'must lead to a public host'],
    ['https://intranet/', 'must lead to a public host'],
    ['https://printer.local/', 'must lead to a public host'],
    ['https://metadata.google.internal/', 'must lead to a public host'],
    ['https://127.0.0.1/', 'must lead to a public host'],
    ['https://2130706433/', 'must lead to a public host'],
    ['https://0x7f.1/', 'must lead to a public host'],
    ['https://10.1.2.3/', 'must lead to a public host'],
    ['https://169.254.169.254/latest', 'must lead to a public host'],
    ['https://[::1]/', 'must lead to a public host'],
    ['https://[::ffff:192.168.0.1]/', 'must lead to a public host'],
    ['https://[fd00::1]/', 'must lead to a public host'],
  ])('refuses %s: %s', (url, fault) => {
    expect(callbackUrlFault(url, production)?.in('en')).toBe(fault);
  });

  it.each([
    'http://127.0.0.1:9000/hook',
    'http://localhost:9000/',
    'https://[::1]:9000/',
    'http://tpp.example/',
  ])('takes %s in a local sandbox', (url) => {
    expect(callbackUrlFault(url, local)).toBeUndefined();
  });

  it.each(['http://10.0.0.1/', 'http://169.254.169.254/', 'http://[::ffff:10.0.0.1]/'])(
    'refuses %s in a local sandbox as well',
    (url) => {
      expect(callbackUrlFault(url, local)?.in('en')).toBe('must lead to a public host');
    },
  );
});
