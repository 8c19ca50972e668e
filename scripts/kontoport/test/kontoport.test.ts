import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { completionOf, type Group, usageOf } from '@kontoport/command';
import { describeWith } from '@kontoport/testing/describe-with';
import { kontoport } from '@kontoport/testing/kontoport';
import { COMMANDS } from '../src/commands.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Every path of words to a command or a group. */
function pathsOf(group: Group, before: readonly string[] = []): string[][] {
  return Object.entries(group.commands).flatMap(([word, node]) => {
    const path = [...before, word];
    return [path, ...('commands' in node ? pathsOf(node, path) : [])];
  });
}

describe('kontoport (ADR 26)', () => {
  it.each(pathsOf(COMMANDS).map((path) => [path.join(' '), path]))(
    '%s explains itself',
    async (name, path) => {
      const { status, stdout, stderr } = await kontoport([...path, '--help']);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toContain(`  kontoport ${name} `);
    },
  );

  it('says on 50 columns everything without a line that is wider', () => {
    const usages = pathsOf(COMMANDS).map((path) => {
      let node: Group['commands'][string] = COMMANDS;
      for (const word of path) node = (node as Group).commands[word]!;
      return usageOf(['kontoport', ...path], node, 50);
    });
    const isOneWord = (line: string): boolean =>
      !line
        .trim()
        .replace(/^--[\w-]+ /, '')
        .includes(' ');
    const isTooWide = (line: string): boolean =>
      line.length > 50 && !/^ {2}(kontoport|bash|zsh|fish) /.test(line) && !isOneWord(line);
    expect(usages.join('\n').split('\n').filter(isTooWide)).toEqual([]);
  });
});

const hasBash = spawnSync('bash', ['--version']).status === 0;

describeWith('completion in bash', { missing: hasBash ? undefined : 'no bash: install it' }, () => {
  const complete = (...words: string[]): string[] => {
    const script = `${completionOf({ name: 'kontoport', root: COMMANDS, shell: 'bash' })}
COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMPREPLY=(); _kontoport; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync('bash', ['-c', script, 'bash', 'kontoport', ...words], {
      encoding: 'utf8',
      cwd: ROOT,
    });
    return stdout.trim().split('\n');
  };

  it.each([
    [['sta'], ['start', 'statistics', 'status']],
    [
      ['qwac', ''],
      ['inspect', 'verify', 'mint', 'revoke', 'import-trusted-list'],
    ],
    [
      ['qwac', 'mint', '--o'],
      ['--organization', '--out'],
    ],
    [
      ['qwac', 'verify', '--json', '--profile', ''],
      ['psd2', 'path', 'leaf'],
    ],
    [
      ['logs', 'a'],
      ['auth', 'account-information'],
    ],
    [['qwac', 'inspect', 'package.js'], ['package.json']],
    [['start', '--data', 'scri'], ['scripts']],
    [['start', '--base-port', ''], ['']],
  ])('of %j is %j', (words, offered) => {
    expect(complete(...words).toSorted()).toEqual(offered.toSorted());
  });
});
