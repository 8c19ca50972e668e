import { type Command, CommanderError } from 'commander';
import { CliCommand } from './cli-command.ts';
import { InputError, UsageError } from './errors.ts';

/** Whether it is the system that refused: a file, an address, a connection. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';

const READING = new Set(['open', 'read', 'stat', 'scandir']);

const isUsageError = (error: unknown): error is Error =>
  error instanceof UsageError || error instanceof CommanderError;

/** One line for the user. */
function inWords(error: unknown): string {
  if (isUsageError(error)) {
    const words = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
    return `${words.replace(/\.$/, '')}. --help shows all`;
  }
  if (isSystemError(error) && error.path !== undefined)
    return `${error.path} cannot be ${READING.has(error.syscall!) ? 'read' : 'used'} (${error.code})`;
  // The place of a defect is of use; that of a refusal is not.
  if (error instanceof TypeError || error instanceof RangeError) return String(error.stack);
  return error instanceof Error ? error.message : String(error);
}

/** The names of the commands from the program to the one that the arguments name. */
function pathOf(program: Command, args: readonly string[]): [Command, ...Command[]] {
  const path: [Command, ...Command[]] = [program];
  for (const word of args) {
    const next = path.at(-1)!.commands.find((command) => command.name() === word);
    if (next === undefined) break;
    path.push(next);
  }
  return path;
}

/**
 * Rejects options that npm consumed because no `--` precedes them. npm passes them on as variables.
 * @throws InputError with the intended line
 */
function refuseSwallowed(path: readonly Command[], env: NodeJS.ProcessEnv): void {
  const script = env.npm_lifecycle_event;
  if (script === undefined || !path.some((command) => command.name() === script)) return;
  const swallowed = path.at(-1)!.options.flatMap((option) => {
    const name = option.long!.replace(/^--(no-)?/, '');
    const given = env[`npm_config_${name.replaceAll('-', '_')}`];
    if (given === undefined || (given === '') !== option.negate) return [];
    const takesNoValue = option.isBoolean() || option.negate;
    return [takesNoValue || given === 'true' ? option.long! : `${option.long} ${given}`];
  });
  if (swallowed.length === 0) return;
  const npm = script === 'start' ? 'npm start' : `npm run ${script}`;
  throw new InputError(
    `npm kept ${swallowed.join(' and ')} for itself; put -- before the options: ${npm} -- ${swallowed.join(' ')}.`,
  );
}

/**
 * Runs the command line and sets the exit status: 0 done or accepted, 1 failed or refused, 2 unreadable input or wrong
 * usage. Prints an error as one line, `<command>: <fault and cure>`, or with `--json` as an object with the member
 * `error`.
 */
export async function runCommandLine(
  program: Command,
  { args, env }: { args: readonly string[]; env: NodeJS.ProcessEnv },
): Promise<void> {
  const path = pathOf(program, args);
  const command = path.at(-1)!;
  if (args.length === 0) return program.outputHelp();
  try {
    refuseSwallowed(path, env);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    // --help, or the help of a group of commands.
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const isInput = isUsageError(error) || error instanceof InputError || isSystemError(error);
    process.exitCode = isInput ? 2 : 1;
    // Commander has printed the help of a group that was called without a command.
    if (error instanceof CommanderError && error.code === 'commander.help') return;
    const words = inWords(error);
    if (args.includes('--json') && command.options.some(({ long }) => long === '--json')) {
      const members = command instanceof CliCommand ? command.errorMembers : {};
      console.log(JSON.stringify({ ...members, error: words }, undefined, 2));
    } else console.error(`${path.map((each) => each.name()).join(' ')}: ${words}`);
  }
}
