/** One option of a command: usage, errors and completion are made of this row. */
export interface Option {
  type: 'string' | 'boolean';
  /** What happens, in the imperative or as a noun; no full stop. */
  summary: string;
  /** What stands for the value in the usage: FILE, FOLDER, N … FILE and FOLDER are completed as such. */
  value?: string;
  /** What holds when it is not given. */
  standard?: string;
  /** The only values there are, where they are few. */
  choices?: readonly string[];
  multiple?: true;
}

export type Options = Readonly<Record<string, Option>>;

/** What stands on the command line beside the options. */
export interface Operand {
  /** As in the usage: FILE, FOLDER, SERVICE … FILE and FOLDER are completed as such. */
  name: string;
  optional?: true;
  choices?: readonly string[];
}

type ValueOf<O extends Option> = O['type'] extends 'boolean'
  ? boolean
  : O extends { multiple: true }
    ? string[]
    : string | undefined;

/** What was asked for. */
export interface Call<O extends Options = Options> {
  values: { [K in keyof O]: ValueOf<O[K]> };
  operands: readonly string[];
  env: NodeJS.ProcessEnv;
}

/** A command: a table of what it understands, and what it does. */
export interface Command<O extends Options = Options> {
  /** One line, for the list of commands. */
  summary: string;
  /** Paragraphs of the usage, before and after the options; line ends in them are kept when blank lines stand between. */
  about?: string;
  notes?: string;
  options: O;
  operands?: readonly Operand[];
  /** Members of the JSON object that tells an error, beside `error`; the command needs the option `json`. */
  jsonOfError?: Readonly<Record<string, unknown>>;
  /** Resolves to the exit status: 0 done or accepted, 1 failed or refused, 2 unreadable input or wrong usage. */
  run: (call: Call<O>) => Promise<number>;
}

/** Commands under a common word. */
export interface Group {
  summary: string;
  about?: string;
  commands: Readonly<Record<string, AnyCommand | Group>>;
}

/** A command whose options are not told apart by type any more. */
export interface AnyCommand extends Omit<Command, 'run'> {
  run: (call: Call<never>) => Promise<number>;
}

/** Keeps the types of a command's values. */
export function defineCommand<const O extends Options>(command: Command<O>): AnyCommand {
  return command;
}

export const isGroup = (node: AnyCommand | Group): node is Group => 'commands' in node;

/** Exit status 2: the command line makes no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string;

  /**
   * @param message without a full stop
   * @param options.typed with `options.known`, the most similar of them is offered
   * @param options.hint where to look; `--help shows all` unless given
   */
  constructor(message: string, options: { typed?: string; known?: readonly string[]; hint?: string } = {}) {
    const meant = options.typed === undefined ? undefined : nearest(options.typed, options.known ?? []);
    super(meant === undefined ? `${message}.` : `${message}; did you mean "${meant}"?`);
    this.hint = options.hint ?? '--help shows all';
  }
}

/** Exit status 2: what was given cannot be used; the message says why, and what to do. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** The one that a person may have meant; nothing when none is similar. */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(typed.length / 3));
  const ranked = known
    .map((word) => ({ word, distance: distance(typed.toLowerCase(), word.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [best] = ranked;
  if (best && best.distance <= limit) return best.word;
  // A part of a long name, such as "expired" of "leaf-expired".
  return typed.length >= 3 ? known.find((word) => word.includes(typed.toLowerCase())) : undefined;
}

/** Letters to insert, remove, change or swap with their neighbour. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? rows[i - 2]![j - 2]! + 1 : Infinity;
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, changed, swapped));
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
