import { type AnyCommand, type Group, isGroup, type Operand, type Option } from './command.ts';
import { list, type Row, wrap } from './terminal.ts';

const HELP: Row = { name: '--help', what: 'this text' };

function optionRow([flag, option]: [string, Option]): Row {
  const value = option.type === 'boolean' ? '' : ` ${option.value ?? 'TEXT'}`;
  const words = [
    option.summary,
    ...(option.choices ? [`: ${option.choices.join(', ')}`] : []),
    ...(option.multiple ? ['; may be repeated'] : []),
    ...(option.standard === undefined ? [] : [` (${option.standard})`]),
  ];
  return { name: `--${flag}${value}`, what: words.join('') };
}

const operandWord = ({ name, optional }: Operand): string => (optional ? `[${name}]` : name);

/** Paragraphs are wrapped; one that is indented stands as it is. */
function paragraphs(text: string, width: number): string[] {
  return text
    .split('\n\n')
    .flatMap((paragraph) => [
      '',
      ...(paragraph.startsWith(' ') ? paragraph.split('\n') : wrap(paragraph.replaceAll('\n', ' '), width)),
    ]);
}

/** The text of `--help`. */
export function usageOf(path: readonly string[], node: AnyCommand | Group, width: number): string {
  const words = path.join(' ');
  const [, ...about] = paragraphs(
    node.about ?? `${node.summary[0]!.toUpperCase()}${node.summary.slice(1)}.`,
    width,
  );
  if (isGroup(node)) {
    const rows = Object.entries(node.commands).map(([name, { summary }]) => ({ name, what: summary }));
    return [
      ...about,
      '',
      `  ${words} <command> [options]`,
      '',
      ...list(rows, { width }),
      '',
      ...wrap(`${words} <command> --help explains one command.`, width),
    ].join('\n');
  }
  const operands = (node.operands ?? []).map(operandWord);
  return [
    ...about,
    '',
    `  ${[words, '[options]', ...operands].join(' ')}`,
    '',
    ...list([...Object.entries(node.options).map(optionRow), HELP], { width }),
    ...(node.notes === undefined ? [] : paragraphs(node.notes, width)),
  ].join('\n');
}
