export {
  type AnyCommand,
  type Call,
  type Command,
  defineCommand,
  type Group,
  InputError,
  nearest,
  type Option,
  UsageError,
} from './command.ts';
export { completionOf, type Shell, SHELLS } from './completion.ts';
export { runCommandLine } from './run.ts';
export { usageOf } from './usage.ts';
export {
  cutToWidth,
  list,
  mayRewrite,
  type Row,
  shown,
  type Style,
  styleFor,
  widthOf,
  wrap,
} from './terminal.ts';
