import { Command } from 'commander';
import { UsageError } from './errors.ts';

/** A command that throws its errors; `runCommandLine` prints them. */
export class CliCommand extends Command {
  /** Members of the JSON error of `--json`, besides `error`. */
  readonly errorMembers: Readonly<Record<string, unknown>>;

  constructor(name: string, errorMembers: Readonly<Record<string, unknown>> = {}) {
    super(name);
    this.errorMembers = errorMembers;
    this.exitOverride()
      .configureOutput({ outputError: () => {} })
      .hook('preAction', (_, command) => refuseMissingValues(command));
  }
}

/**
 * Rejects an empty value, which would name the current folder, and one with a dash, which is an option after a missing
 * value.
 */
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

/** Sets the exit status of the process from the result of an action. */
export function exits<A extends unknown[]>(
  action: (...args: A) => Promise<number>,
): (...args: A) => Promise<void> {
  return async (...args) => {
    process.exitCode = await action(...args);
  };
}
