export { Argument, Option } from 'commander';
export { CliCommand, exits, repeated } from './cli-command.ts';
export { InputError, UsageError } from './errors.ts';
export { runCommandLine } from './run.ts';
export {
  inShell,
  list,
  mayRewrite,
  type Row,
  shown,
  type Style,
  styleFor,
  widthOf,
  wrap,
} from './terminal.ts';
