import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes a page that is made of code, or with `check` compares it; returns what is wrong, a sentence each. */
export function keepPage(options: { root: string; file: string; text: string; check: boolean }): string[] {
  const path = join(options.root, options.file);
  if (existsSync(path) && readFileSync(path, 'utf8') === options.text) return [];
  if (options.check) return [`${options.file} is old: npm run index`];
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, options.text);
  return [];
}
