import { type AnyCommand, type Group, isGroup, type Operand, type Option } from './command.ts';

/** Shells that completion is made for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

type Values = 'files' | 'folders' | 'free' | readonly string[];

/** What may follow the words of one path. */
interface Place {
  /** The words after the program's name, such as "qwac mint". */
  path: string;
  words: { word: string; summary: string }[];
  /** By option that takes a value. */
  values: { flag: string; values: Values }[];
  operand: Values;
}

function valuesOf({
  choices,
  name,
}: {
  choices?: readonly string[] | undefined;
  name: string | undefined;
}): Values {
  if (choices) return choices;
  if (name?.includes('FILE')) return 'files';
  return name?.includes('FOLDER') ? 'folders' : 'free';
}

function placesOf(node: AnyCommand | Group, path: string): Place[] {
  if (isGroup(node)) {
    const children = Object.entries(node.commands);
    const words = children.map(([word, { summary }]) => ({ word, summary }));
    const here: Place = { path, words, values: [], operand: 'free' };
    return [here, ...children.flatMap(([word, child]) => placesOf(child, `${path} ${word}`.trim()))];
  }
  const options = Object.entries<Option>(node.options);
  const operand: Operand | undefined = node.operands?.[0];
  return [
    {
      path,
      words: [
        ...options.map(([flag, { summary }]) => ({ word: `--${flag}`, summary })),
        { word: '--help', summary: 'explains the command' },
      ],
      values: options
        .filter(([, { type }]) => type === 'string')
        .map(([flag, { choices, value }]) => ({
          flag: `--${flag}`,
          values: valuesOf({ choices, name: value }),
        })),
      operand: operand ? valuesOf({ choices: operand.choices, name: operand.name }) : 'free',
    },
  ];
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function compgen(values: Values): string {
  if (values === 'files') return '-f';
  if (values === 'folders') return '-d';
  return `-W ${quoted(values === 'free' ? '' : values.join(' '))}`;
}

function bash(name: string, places: readonly Place[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  const values = places.flatMap(({ path, values: all }) =>
    all.map(
      (option) =>
        `    ${quoted(`${path}|${option.flag}`)}) COMPREPLY=($(compgen ${compgen(option.values)} -- "$current")); return;;`,
    ),
  );
  const words = places.map(({ path, words: all, operand }) => {
    const list = [...all.map(({ word }) => word), ...(typeof operand === 'string' ? [] : operand)];
    const more =
      operand === 'files' || operand === 'folders'
        ? `; COMPREPLY+=($(compgen ${compgen(operand)} -- "$current"))`
        : '';
    return `    ${quoted(path)}) COMPREPLY=($(compgen -W ${quoted(list.join(' '))} -- "$current"))${more};;`;
  });
  return `_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place='' next word at
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    next="\${place:+$place }$word"
    case "$next" in
      ${paths.join('|')}) place="$next";;
    esac
  done
  case "$place|$previous" in
${values.join('\n')}
  esac
  case "$place" in
${words.join('\n')}
  esac
}
complete -o filenames -F _${name} ${name}
`;
}

function fish(name: string, places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words, values, operand }) => {
    const at = `-n ${quoted(`__${name}_at ${path}`.trim())}`;
    const kind = (found: Values): string => {
      if (found === 'files') return '-F';
      if (found === 'folders') return "-f -a '(__fish_complete_directories)'";
      return found === 'free' ? '-f' : `-f -a ${quoted(found.join(' '))}`;
    };
    return [
      ...words.map(({ word, summary }) => {
        const value = values.find(({ flag }) => flag === word);
        if (!word.startsWith('--')) return `complete -c ${name} ${at} -f -a ${word} -d ${quoted(summary)}`;
        return `complete -c ${name} ${at} -l ${word.slice(2)}${value ? ` -r ${kind(value.values)}` : ' -f'} -d ${quoted(summary)}`;
      }),
      ...(operand === 'free' ? [] : [`complete -c ${name} ${at} ${kind(operand)}`]),
    ];
  });
  const paths = places.map(({ path }) => path).filter((path) => path !== '');
  return `function __${name}_at
  set -l place ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$place $word")
    contains -- "$next" ${paths.map(quoted).join(' ')}; and set place $next
  end
  test "$place" = "$argv"
end
complete -c ${name} -f
${lines.join('\n')}
`;
}

/** A script that completes the command in a shell; it lists what there is and calls nobody. */
export function completionOf(options: { name: string; root: Group; shell: Shell }): string {
  const { name, root, shell } = options;
  const places = placesOf(root, '');
  if (shell === 'fish') return fish(name, places);
  const script = bash(name, places);
  return shell === 'zsh' ? `autoload -Uz bashcompinit && bashcompinit\n${script}` : script;
}
