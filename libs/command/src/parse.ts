import { parseArgs } from 'node:util';
import { type AnyCommand, type Call, type Option, UsageError } from './command.ts';

/**
 * Reads the words after a command's name.
 * @returns 'help' when that is asked for
 * @throws UsageError
 */
export function parse(
  command: AnyCommand,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Call<never> | 'help' {
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: {
      ...Object.fromEntries(Object.entries(command.options).map(([flag, { type }]) => [flag, { type }])),
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (tokens.some((token) => token.kind === 'option' && token.name === 'help')) return 'help';
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(command.options).map(([flag, option]) => [flag, absent(option)]),
  );
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const option = Object.hasOwn(command.options, name) ? command.options[name]! : undefined;
    if (!option)
      throw new UsageError(`no option is called "${rawName}"`, {
        typed: rawName,
        known: Object.keys(command.options).map((flag) => `--${flag}`),
      });
    values[name] = read(option, { rawName, value, inline: token.inlineValue === true, before: values[name] });
  }
  checkOperands(command, operands);
  return { values: values as never, operands, env };
}

function absent(option: Option): unknown {
  if (option.type === 'boolean') return false;
  return option.multiple ? [] : undefined;
}

function read(
  option: Option,
  given: { rawName: string; value: string | undefined; inline: boolean; before: unknown },
): unknown {
  const { rawName, value, inline, before } = given;
  if (option.type === 'boolean') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    return true;
  }
  if (value === undefined || value === '' || (!inline && value.length > 1 && value.startsWith('-')))
    throw new UsageError(`${rawName} needs a value: ${rawName} ${option.value ?? 'TEXT'}`);
  const { choices } = option;
  if (choices && !choices.includes(value))
    throw new UsageError(`${rawName} is one of ${choices.join(', ')}, not "${value}"`, {
      typed: value,
      known: choices,
    });
  if (option.multiple) return [...(before as string[]), value];
  return value;
}

function checkOperands(command: AnyCommand, given: readonly string[]): void {
  const wanted = command.operands ?? [];
  const missing = wanted.slice(given.length).find(({ optional }) => !optional);
  if (missing) throw new UsageError(`${missing.name} is missing`);
  const extra = given[wanted.length];
  if (extra !== undefined) throw new UsageError(`"${extra}" is not understood here`);
  for (const [at, value] of given.entries()) {
    const { name, choices } = wanted[at]!;
    if (choices && !choices.includes(value))
      throw new UsageError(`no ${name.toLowerCase()} is called "${value}"`, { typed: value, known: choices });
  }
}

/**
 * Options that npm took for its own, since no `--` stands before them: it hands them on as variables.
 * @throws UsageError with the line that was meant
 */
export function refuseSwallowed(command: AnyCommand, env: NodeJS.ProcessEnv, path: readonly string[]): void {
  const script = env.npm_lifecycle_event;
  if (script === undefined || !path.includes(script)) return;
  const swallowed = Object.entries(command.options).flatMap(([flag, { type }]) => {
    const isNegative = flag.startsWith('no-');
    const given = env[`npm_config_${(isNegative ? flag.slice(3) : flag).replaceAll('-', '_')}`];
    if (given === undefined || (isNegative ? given !== '' : given === '')) return [];
    return [type === 'boolean' || given === 'true' ? `--${flag}` : `--${flag} ${given}`];
  });
  if (swallowed.length === 0) return;
  const npm = script === 'start' ? 'npm start' : `npm run ${script}`;
  throw new UsageError(
    `npm kept ${swallowed.join(' and ')} for itself; put -- before the options: ${npm} -- ${swallowed.join(' ')}`,
    { hint: '' },
  );
}
