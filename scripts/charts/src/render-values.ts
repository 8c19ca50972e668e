import { stringify } from 'yaml';
import { AS_ELSEWHERE, type JsonSchema } from './json-schema.ts';

const WIDTH = 108;

/** values.yaml: every key with what it means; those without a default are commented out. */
export function renderValues(schema: JsonSchema): string {
  const lines = [
    '# Values of the chart kontoport. Written by `npm run chart`; README.md has them as a table.',
    '# What stands behind `#` has no default.',
    ...keysOf(schema, 0),
  ];
  return `${lines.join('\n')}\n`;
}

/** The keys that a reader is told of. */
const toldOf = ({ properties = {} }: JsonSchema): [string, JsonSchema][] =>
  Object.entries(properties).filter(([, { $comment }]) => $comment !== AS_ELSEWHERE);

function keysOf(schema: JsonSchema, depth: number): string[] {
  const indent = '  '.repeat(depth);
  return toldOf(schema).flatMap(([key, inner]) => {
    const comment = wrap(inner.description ?? '', WIDTH - indent.length).map((line) => `${indent}# ${line}`);
    const gap = depth === 0 ? [''] : [];
    return [...gap, ...comment, ...entryOf(key, inner, depth)];
  });
}

function entryOf(key: string, schema: JsonSchema, depth: number): string[] {
  const indent = '  '.repeat(depth);
  if (schema.default !== undefined) {
    const text = stringify({ [key]: schema.default }, { lineWidth: 0, singleQuote: true }).trimEnd();
    return text.split('\n').map((line) => indent + line);
  }
  if (schema.properties === undefined) return [`${indent}# ${key}:`];
  const inner = keysOf(schema, depth + 1);
  const isEmpty = inner.every((line) => /^\s*(#.*)?$/.test(line));
  return [`${indent}${key}:${isEmpty ? ' {}' : ''}`, ...inner];
}

/** Lines of at most `width` characters, broken at blanks. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter(Boolean)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** A row for each value that can be set: where it stands, its default, what it means. */
export function tableOfValues(schema: JsonSchema): string {
  const rows = rowsOf(schema, '');
  return [
    '| Value | Default | |',
    '| --- | --- | --- |',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}

function rowsOf(schema: JsonSchema, path: string): string[][] {
  const { required = [] } = schema;
  return toldOf(schema).flatMap(([key, inner]) => {
    const place = path === '' ? key : `${path}.${key}`;
    if (inner.properties !== undefined && inner.default === undefined) {
      const about = inner.description ? [[`\`${place}\``, '', inLine(inner.description)]] : [];
      return [...about, ...rowsOf(inner, place)];
    }
    const preset = inner.default === undefined ? '' : `\`${inLine(JSON.stringify(inner.default))}\``;
    const told = required.includes(key) ? '**required**' : preset;
    return [[`\`${place}\``, told, inLine([inner.description, boundsOf(inner)].filter(Boolean).join(' '))]];
  });
}

function boundsOf({
  enum: values,
  minimum,
  maximum,
  exclusiveMinimum: above,
  exclusiveMaximum: below,
}: JsonSchema) {
  if (values !== undefined)
    return `One of ${values
      .filter((value) => value !== '' && value !== false)
      .map((value) => `\`${String(value)}\``)
      .join(', ')}.`;
  const words = [
    minimum === undefined ? '' : `at least ${minimum}`,
    above === undefined ? '' : `more than ${above}`,
    maximum === undefined ? '' : `at most ${maximum}`,
    below === undefined ? '' : `less than ${below}`,
  ].filter(Boolean);
  return words.length === 0 ? '' : `(${words.join(', ')})`;
}

const inLine = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
