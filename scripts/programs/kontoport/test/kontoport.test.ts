import { execFileSync } from 'node:child_process';
import { kontoport } from '@kontoport/testing/kontoport';
import { program } from '../src/commands.ts';

type Command = (typeof program.commands)[number];

/** Every command and group, with the words that lead to it. */
function commandsOf(group: Command, before: readonly string[] = []): { path: string[]; command: Command }[] {
  return group.commands.flatMap((command) => {
    const path = [...before, command.name()];
    return [{ path, command }, ...commandsOf(command, path)];
  });
}
const commands = commandsOf(program);

describe('kontoport (ADR-0044)', () => {
  it.each(commands.map(({ path }) => [path.join(' '), path]))(
    '%s prints its help, with an example',
    async (name, path) => {
      const { status, stdout, stderr } = await kontoport([...path, '--help']);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toContain(`Usage: kontoport ${name} `);
      expect(stdout).toMatch(/Example: (npx|npm) /);
    },
  );

  it('prints its help without a command', async () => {
    const { status, stdout, stderr } = await kontoport([]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: kontoport /);
    for (const command of program.commands) expect(stdout).toContain(`  ${command.name()} `);
  });

  it('fits every help text into 80 columns', () => {
    const lines = commands.flatMap(({ command }) => {
      const help = command.createHelp();
      help.prepareContext({ helpWidth: 80 });
      return help.formatHelp(command, help).split('\n');
    });
    expect(lines.filter((line) => line.length > 80 && !line.startsWith('Usage: '))).toEqual([]);
  });

  it.each([
    ['', 'mi', ['migrate']],
    ['qwac', 'mi', ['mint']],
    ['qwac mint --name x', '--or', ['--organization']],
    ['start --data folder', '--kaf', ['--kafka']],
    ['completion', '', ['bash', 'zsh', 'fish', '--help']],
  ])('completes "%s %s" in bash', async (before, word, expected) => {
    const { stdout } = await kontoport(['completion', 'bash']);
    const words = ['kontoport', ...before.split(' ').filter(Boolean)];
    const script = `${stdout}
COMP_WORDS=(${words.join(' ')} '${word}') COMP_CWORD=${words.length}
_kontoport
echo "\${COMPREPLY[*]}"`;
    const completed = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim();
    expect(completed.split(' ')).toEqual(expected);
  });
});
