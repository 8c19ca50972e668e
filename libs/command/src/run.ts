import { type AnyCommand, type Group, InputError, isGroup, UsageError } from './command.ts';
import { parse, refuseSwallowed } from './parse.ts';
import { widthOf } from './terminal.ts';
import { usageOf } from './usage.ts';

interface Found {
  path: string[];
  node: AnyCommand | Group;
  rest: readonly string[];
}

/** Follows the words to a command; stops before an option. @throws UsageError, `at` is how far it came */
function find(name: string, root: Group, args: readonly string[], at: (path: string[]) => void): Found {
  const path = [name];
  let node: AnyCommand | Group = root;
  let rest = args;
  while (isGroup(node) && rest.length > 0 && !rest[0]!.startsWith('-')) {
    const [word, ...others] = rest as [string, ...string[]];
    if (!Object.hasOwn(node.commands, word))
      throw new UsageError(`no command is called "${word}"`, {
        typed: word,
        known: Object.keys(node.commands),
      });
    node = node.commands[word]!;
    path.push(word);
    at(path);
    rest = others;
  }
  return { path, node, rest };
}

/** Whether it is the system that refused: a file, an address, a connection. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';

const READING = new Set(['open', 'read', 'stat', 'scandir']);

function inWords(error: unknown): string {
  if (error instanceof UsageError) return `${error.message} ${error.hint}`.trimEnd();
  if (isSystemError(error) && error.path !== undefined)
    return `${error.path} cannot be ${READING.has(error.syscall!) ? 'read' : 'used'} (${error.code})`;
  // A defect of ours is of use with its place only.
  if (error instanceof TypeError || error instanceof RangeError) return String(error.stack);
  return error instanceof Error ? error.message : String(error);
}

const statusOf = (error: unknown): number =>
  error instanceof UsageError || error instanceof InputError || isSystemError(error) ? 2 : 1;

/**
 * Runs what the command line asks for, and resolves to the exit status: 0 done or accepted, 1 failed or refused,
 * 2 unreadable input or wrong usage. An error is one line, `<the command>: <what, and what to do>`; with `--json` it is
 * an object with the member `error` on the standard output.
 */
export async function runCommandLine(options: {
  name: string;
  root: Group;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
}): Promise<number> {
  const { name, root, args, env } = options;
  let path = [name];
  let command: AnyCommand | undefined;
  try {
    const found = find(name, root, args, (reached) => (path = reached));
    const { node, rest } = found;
    if (isGroup(node)) {
      const [first] = rest;
      if (first === undefined)
        throw new UsageError(`name a command: ${Object.keys(node.commands).join(', ')}`, {
          hint: '--help explains them',
        });
      if (first !== '--help' && first !== '-h')
        throw new UsageError(`"${first}" stands before the name of a command`);
      console.log(usageOf(path, node, widthOf(process.stdout)));
      return 0;
    }
    command = node;
    refuseSwallowed(node, env, path);
    const call = parse(node, rest, env);
    if (call === 'help') {
      console.log(usageOf(path, node, widthOf(process.stdout)));
      return 0;
    }
    return await node.run(call);
  } catch (error) {
    const words = inWords(error);
    if (command && 'json' in command.options && args.includes('--json'))
      console.log(JSON.stringify({ ...command.jsonOfError, error: words }, undefined, 2));
    else console.error(`${path.join(' ')}: ${words}`);
    return statusOf(error);
  }
}
