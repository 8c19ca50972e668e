import { relative } from 'node:path';
import { styleText } from 'node:util';

/** Columns outside of a terminal. */
const UNWATCHED = 100;
const NARROWEST = 20;

/** Columns of the terminal; some report 0. `otherwise` applies outside of one. */
export function widthOf(output: NodeJS.WriteStream, otherwise: number = UNWATCHED): number {
  return output.isTTY ? Math.max(NARROWEST, output.columns || 80) : otherwise;
}

/** Whether to colour: NO_COLOR and FORCE_COLOR decide, else only a terminal that can. */
export function showsColours(output: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return output.isTTY === true && env.TERM !== 'dumb';
}

/** Whether lines may be written anew: never for a log, be it that of a CI with a terminal. */
export function mayRewrite(output: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  return output.isTTY === true && !env.NO_COLOR && !env.CI && env.TERM !== 'dumb';
}

type Format = Parameters<typeof styleText>[0];

/** Marks text where colours are shown. */
export type Style = (format: Format, text: string) => string;

/** The marks of text on this output. */
export function styleFor(output: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Style {
  return showsColours(output, env)
    ? (format, text) => styleText(format, text, { validateStream: false })
    : (_, text) => text;
}

/** Wraps a text at words. A longer word gets a line of its own. */
export function wrap(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line === '') line = word;
    else if (indent.length + line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      lines.push(indent + line);
      line = word;
    }
  }
  return [...lines, indent + line];
}

/** A row of a list: name, description and their marks. */
export interface Row {
  name: string;
  what: string;
}

/**
 * Renders a list in two columns. In a narrow terminal the description follows below the name.
 * @param options.mark applied after the widths are known, so that colours do not count
 */
export function list(
  rows: readonly Row[],
  options: { width: number; indent?: string; mark?: (row: Row) => Row },
): string[] {
  const { width, indent = '  ', mark = (row: Row): Row => row } = options;
  const column = Math.max(0, ...rows.map(({ name }) => name.length));
  const fits = rows.every(({ what }) => indent.length + column + 2 + what.length <= width);
  return rows.flatMap((row) => {
    if (fits) {
      const { name, what } = mark(row);
      return [`${indent}${name}${' '.repeat(column - row.name.length)}  ${what}`.trimEnd()];
    }
    const under = `${indent}    `;
    const beneath = row.what === '' ? [] : wrap(row.what, width, under);
    return [
      `${indent}${mark(row).name}`,
      ...beneath.map((line) => under + mark({ name: '', what: line.slice(under.length) }).what),
    ];
  });
}

/** The shortest form of a path from the current folder. */
export function shown(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}

/** Quotes a text for a POSIX shell. */
export function inShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
