import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completed, type Lock, lockFaults, readGaps, readLock, writeLock } from '../lock.ts';

const PROOF = `sha512-${'A'.repeat(86)}==`;
const lock = (entries: Lock['packages']): Lock => ({
  packages: {
    '': { version: '0.1.0' },
    'libs/money': { version: '0.1.0' },
    'node_modules/@kontoport/money': { link: true },
    'node_modules/good': { version: '1.0.0', integrity: PROOF },
    ...entries,
  },
});

describe('the lock file', () => {
  it('is taken when everything in it is proven, or a gap that is known', () => {
    expect(lockFaults(lock({}), [])).toEqual([]);
    expect(lockFaults(lock({ 'node_modules/@a/b': { version: '2.0.0' } }), ['@a/b@2.0.0'])).toEqual([]);
  });

  it.each([
    [
      { 'node_modules/@a/b': { version: '2.0.1' } },
      ['@a/b@2.0.0'],
      ['@a/b@2.0.1 has no integrity', '@a/b@2.0.0 is complete'],
    ],
    [{ 'node_modules/x/node_modules/b': { version: '1.0.0' } }, [], ['b@1.0.0 has no integrity']],
    [
      { 'node_modules/b': { name: 'c', version: '1.0.0' } },
      ['b@1.0.0'],
      ['c@1.0.0 has no integrity', 'b@1.0.0 is complete'],
    ],
    [{ 'node_modules/b': { version: '1.0.0', integrity: PROOF } }, ['b@1.0.0'], ['b@1.0.0 is complete']],
    [{ 'node_modules/b': { version: '1.0.0', integrity: 'sha1-AAAA' } }, [], ['b@1.0.0 has no SHA-512']],
    [
      {
        'node_modules/b': { version: '1.0.0', integrity: PROOF, resolved: 'https://packages.example/b.tgz' },
      },
      [],
      ['b@1.0.0 names an address'],
    ],
  ])('is refused with %j and the known gaps %j', (entries, gaps, faults) => {
    expect(lockFaults(lock(entries), gaps)).toEqual(faults.map((fault) => expect.stringContaining(fault)));
  });

  it('is completed with what is found, and the known gaps shrink to the rest', async () => {
    const gapped = lock({
      'node_modules/a': { version: '1.0.0', os: ['darwin'] } as object,
      'node_modules/b': { version: '1.0.0' },
      'node_modules/c': { version: '1.0.0' },
    });
    const root = mkdtempSync(join(tmpdir(), 'kontoport-lock-'));
    try {
      mkdirSync(join(root, 'scripts/repo'), { recursive: true });
      writeFileSync(join(root, 'package-lock.json'), JSON.stringify(gapped));
      const asked: string[] = [];
      const made = await completed(readLock(root), async (id) => {
        asked.push(id);
        return { 'a@1.0.0': PROOF, 'b@1.0.0': 'sha1-AAAA' }[id];
      });
      expect(asked).toEqual(['a@1.0.0', 'b@1.0.0', 'c@1.0.0']);
      expect(made.found).toBe(1);
      writeLock(root, made.lock, made.gaps);
      expect(readGaps(root)).toEqual(['b@1.0.0', 'c@1.0.0']);
      expect(lockFaults(readLock(root), readGaps(root))).toEqual([]);
      expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).toContain(
        `"version": "1.0.0",\n      "integrity": "${PROOF}",\n      "os"`,
      );
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
