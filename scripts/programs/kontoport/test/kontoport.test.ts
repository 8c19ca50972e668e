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
  it.each(commands.map(({ path }) => [path.join(' '), path]))('%s explains itself', async (name, path) => {
    const { status, stdout, stderr } = await kontoport([...path, '--help']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`Usage: kontoport ${name} `);
  });

  it('explains itself to whoever names no command, with status 2', async () => {
    const { status, stdout, stderr } = await kontoport([]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^Usage: kontoport /);
    for (const command of program.commands) expect(stderr).toContain(`  ${command.name()} `);
  });

  it('says on 80 columns everything without a line that is wider', () => {
    const lines = commands.flatMap(({ command }) => {
      const help = command.createHelp();
      help.prepareContext({ helpWidth: 80 });
      return help.formatHelp(command, help).split('\n');
    });
    expect(lines.filter((line) => line.length > 80 && !line.startsWith('Usage: '))).toEqual([]);
  });
});
