import { Command } from 'commander';
import { UsageError } from './errors.ts';

/** A command whose errors are thrown: `runCommandLine` prints them. */
export class CliCommand extends Command {
  /** Members of the JSON object that tells an error to a caller with `--json`, beside `error`. */
  readonly errorMembers: Readonly<Record<string, unknown>>;

  constructor(name: string, errorMembers: Readonly<Record<string, unknown>> = {}) {
    super(name);
    this.errorMembers = errorMembers;
    this.exitOverride()
      .configureOutput({ outputError: () => {} })
      .hook('preAction', (_, command) => refuseMissingValues(command));
  }
}

/** An empty value would name the current folder; one with a dash is an option whose predecessor lacks its value. */
function refuseMissingValues(command: Command): void {
  const found = command.options.find((option) =>
    [command.getOptionValue(option.attributeName()) as unknown]
      .flat()
      .some((value) => typeof value === 'string' && /^(-.+)?$/s.test(value)),
  );
  if (found) throw new UsageError(`${found.long} needs a value: ${found.flags}`);
}

/** Collects the values of an option that may be repeated. */
export function repeated(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** Makes the exit status of a process of what an action resolves to. */
export function exits<A extends unknown[]>(
  action: (...args: A) => Promise<number>,
): (...args: A) => Promise<void> {
  return async (...args) => {
    process.exitCode = await action(...args);
  };
}
