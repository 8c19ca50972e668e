import { lockFaults } from '../check-lock.ts';

const HASH = `sha512-${'A'.repeat(86)}==`;
const lock = (entry: object): Parameters<typeof lockFaults>[0] => ({
  packages: {
    '': { version: '0.1.0' },
    'libs/money': { version: '0.1.0' },
    'node_modules/@kontoport/money': { link: true },
    'node_modules/good': { version: '1.0.0', integrity: HASH },
    'node_modules/good/node_modules/@a/b': { version: '2.0.0', integrity: HASH, ...entry },
  },
});

describe('the check of the lock file', () => {
  it.each([
    ['nothing when each package has a SHA-512 and no address', {}, []],
    ['a missing hash', { integrity: undefined }, ['@a/b@2.0.0 has no SHA-512: npm run lock:complete']],
    ['a weak hash', { integrity: 'sha1-abc=' }, ['@a/b@2.0.0 has no SHA-512: npm run lock:complete']],
    [
      'an address',
      { resolved: 'https://registry.example/b.tgz' },
      ['@a/b@2.0.0 names an address: each network has its own'],
    ],
  ])('reports %s', (_what, entry, faults) => {
    expect(lockFaults(lock(entry))).toEqual(faults);
  });
});
