import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeLinks } from '../src/complete-links.ts';

describe('the binaries of PostgreSQL where npm ran no install scripts (ADR-0044)', () => {
  let native: string;
  beforeEach(() => {
    native = join(mkdtempSync(join(tmpdir(), 'kontoport-links-')), 'native');
    mkdirSync(join(native, 'lib'), { recursive: true });
    writeFileSync(join(native, 'lib/a.so.1.2'), 'a');
  });
  afterEach(() => rmSync(join(native, '..'), { recursive: true }));
  const links = (...pairs: [source: string, target: string][]): void =>
    writeFileSync(
      join(native, 'pg-symlinks.json'),
      JSON.stringify(
        pairs.map(([source, target]) => ({ source: `native/${source}`, target: `native/${target}` })),
      ),
    );

  it('get missing links, relative, and keep existing ones', () => {
    links(['lib/a.so.1.2', 'lib/a.so'], ['lib/a.so.1.2', 'a.so.1']);
    symlinkSync('a.so.1.2', join(native, 'lib/a.so'));
    completeLinks(native);
    completeLinks(native);
    expect(readlinkSync(join(native, 'lib/a.so'))).toBe('a.so.1.2');
    expect(readlinkSync(join(native, 'a.so.1'))).toBe('lib/a.so.1.2');
    expect(readFileSync(join(native, 'a.so.1'), 'utf8')).toBe('a');
  });

  it('stay unchanged when the package names no links', () => {
    expect(() => completeLinks(native)).not.toThrow();
  });

  it('report a link that cannot be created', () => {
    links(['lib/a.so.1.2', 'nowhere/a.so']);
    expect(() => completeLinks(native)).toThrow(/ENOENT/);
  });
});
