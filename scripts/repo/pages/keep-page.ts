import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes a generated file, or with `check` compares it. @returns the faults, one sentence each */
export function keepPage(options: {
  root: string;
  file: string;
  text: string;
  check: boolean;
  command?: string;
}): string[] {
  const path = join(options.root, options.file);
  if (existsSync(path) && readFileSync(path, 'utf8') === options.text) return [];
  if (options.check) return [`${options.file} is old: ${options.command ?? 'npm run index'}`];
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, options.text);
  return [];
}

/** The generated blocks of a page, by the name in their comments: `<!-- NAME -->` … `<!-- /NAME -->`. */
export type Blocks = Readonly<Record<string, string>>;

/** Writes the generated blocks of a page that is written by hand, or with `check` compares them. */
export function keepBlocks(options: {
  root: string;
  file: string;
  blocks: Blocks;
  check: boolean;
}): string[] {
  let text = readFileSync(join(options.root, options.file), 'utf8');
  for (const [name, block] of Object.entries(options.blocks)) {
    const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
    const [start, end] = [text.indexOf(open) + open.length, text.indexOf(close)];
    if (end < start) throw new Error(`${options.file} has no block ${name}`);
    text = `${text.slice(0, start)}\n${block}\n\n${text.slice(end)}`;
  }
  return keepPage({ ...options, text });
}

/** Renders a table in the formatter's layout; the first row is the head. */
export function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]!.length), 3));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
