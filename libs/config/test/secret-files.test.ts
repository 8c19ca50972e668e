import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, key32, readConfig, reloadableSecret, secret } from '@kontoport/config';
import { z } from 'zod';

const shape = {
  EDGE_SECRET: secret(z.string().min(8)),
  SECRETS_KEY: secret(key32),
  PASSWORD: reloadableSecret(z.string().min(3)).optional(),
  OPEN: z.string().optional(),
};
const KEY = Buffer.alloc(32, 7).toString('base64url');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-secrets-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const good = (): Record<string, string> => ({ EDGE_SECRET: 'a good secret', SECRETS_KEY: KEY });

function faults(env: Record<string, string>): readonly string[] {
  try {
    readConfig(shape, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('a secret in a file', () => {
  it.each(['', '\n', '\r\n'])('is what the file holds, without the newline at its end (%j)', (end) => {
    const { EDGE_SECRET: _given, ...rest } = good();
    const config = readConfig(shape, { ...rest, EDGE_SECRET_FILE: file('edge', `from a file${end}`) });
    expect(config.EDGE_SECRET).toBe('from a file');
  });

  it('loses one newline and nothing else', () => {
    const { EDGE_SECRET: _given, ...rest } = good();
    const config = readConfig(shape, { ...rest, EDGE_SECRET_FILE: file('edge', '  blanks \n\n') });
    expect(config.EDGE_SECRET).toBe('  blanks \n');
  });

  it('is checked like any other, and its content is not repeated', () => {
    const found = faults({
      EDGE_SECRET_FILE: file('short', 'hunter2'),
      SECRETS_KEY_FILE: file('key', 'not a key'),
    });
    expect(found).toEqual([
      expect.stringMatching(/^EDGE_SECRET_FILE: /),
      'SECRETS_KEY_FILE: base64url of 32 bytes',
    ]);
    expect(found.join()).not.toMatch(/hunter2|not a key/);
  });

  it('is refused beside a value, and where it cannot be read, with everything else that is wrong', () => {
    expect(
      faults({
        ...good(),
        EDGE_SECRET_FILE: file('edge', 'another secret'),
        PASSWORD_FILE: join(folder, 'absent'),
      }),
    ).toEqual([
      'EDGE_SECRET_FILE: EDGE_SECRET is given, too; one of them must go',
      'PASSWORD_FILE: the file cannot be read (ENOENT)',
    ]);
    expect(faults({ EDGE_SECRET: 'a good secret', SECRETS_KEY_FILE: file('empty', '') })).toEqual([
      'SECRETS_KEY_FILE: the file is empty',
    ]);
    expect(faults({ ...good(), PASSWORD_FILE: file('blank', '\n') })).toEqual([
      'PASSWORD_FILE: the file is empty',
    ]);
    expect(faults({ ...good(), PASSWORD_FILE: folder })).toEqual([
      'PASSWORD_FILE: the file cannot be read (EISDIR)',
    ]);
    expect(faults({ ...good(), PASSWORD_FILE: file('large', 'x'.repeat(256 * 1024 + 1)) })).toEqual([
      'PASSWORD_FILE: the file is larger than 256 KB',
    ]);
  });

  it('exists for secrets only', () => {
    const config = readConfig(shape, { ...good(), OPEN_FILE: file('open', 'x') });
    expect(config.OPEN).toBeUndefined();
  });
});

describe('a secret that may be rotated', () => {
  it('is read anew at each use; a replacement that cannot be used is reported once, and the last good one stays', () => {
    const path = file('password', 'first\n');
    const { PASSWORD: password } = readConfig(shape, { ...good(), PASSWORD_FILE: path });
    const reported: string[] = [];
    const read = (): string => password!((fault) => reported.push(fault));
    expect(read()).toBe('first');
    file('password', 'second\n');
    expect(read()).toBe('second');
    file('password', 'no\n');
    expect([read(), read()]).toEqual(['second', 'second']);
    expect(reported).toEqual([expect.stringMatching(/^PASSWORD_FILE: /)]);
    rmSync(path);
    expect(read()).toBe('second');
    expect(reported.slice(1)).toEqual(['PASSWORD_FILE: the file cannot be read (ENOENT)']);
    file('password', 'third');
    expect(read()).toBe('third');
    rmSync(path);
    read();
    expect(reported).toHaveLength(3);
  });

  it('may stand in the environment, where it does not change', () => {
    const { PASSWORD: password } = readConfig(shape, { ...good(), PASSWORD: 'always' });
    expect(password!()).toBe('always');
  });
});
