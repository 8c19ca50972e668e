import { parse } from 'yaml';
import type { JsonSchema } from './json-schema.ts';

/** A value that stands elsewhere now; paths are keys with dots between them. */
export interface Rename {
  from: string;
  to: string;
}

/** The table of renames, renames.yaml. @throws Error that says which row is wrong */
export function readRenames(text: string): Rename[] {
  const rows = (parse(text) ?? []) as Rename[];
  for (const row of rows)
    if (typeof row.from !== 'string' || typeof row.to !== 'string')
      throw new Error(`renames.yaml: ${JSON.stringify(row)} has no \`from\` and \`to\``);
  return rows;
}

/** Lets the old keys into the schema, so that a template can say where they are now. */
export function admitRenamed(schema: JsonSchema, renames: readonly Rename[]): JsonSchema {
  const copy = structuredClone(schema);
  for (const { from, to } of renames) {
    const keys = from.split('.');
    let place = copy;
    for (const key of keys.slice(0, -1)) {
      place.properties ??= {};
      place = place.properties[key] ??= { type: 'object' };
    }
    place.properties ??= {};
    if (place.properties[keys.at(-1)!] !== undefined)
      throw new Error(`renames.yaml: ${from} is a value still`);
    place.properties[keys.at(-1)!] = { description: `It is ${to} now.` };
  }
  return copy;
}
