import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const PROGRAM = join(import.meta.dirname, '../cluster.ts');

describe('npm run cluster', () => {
  it('explains itself with --help, and does nothing else', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', PROGRAM, '--help'],
      { encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^usage: npm run cluster/);
    expect(stdout).not.toMatch(/\d+ passed/);
  });
});
