import { isJson, type Json, resolve } from './json.ts';

/** Members of a schema that describe it and do not change payloads. */
const WORDS = ['title', 'description', 'example', 'examples', 'summary'];
/** Deeper than any payload of ours; ends a schema that contains itself. */
const MAX_DEPTH = 20;

/** Payloads by name, as texts that differ if the payloads differ, whatever their descriptions. */
export type Payloads = ReadonlyMap<string, string>;

/** The webhooks of an OpenAPI document, by event type: headers and body. */
export function webhookPayloads(document: Json): Payloads {
  const webhooks = Object.entries((document.webhooks ?? {}) as Record<string, Json>);
  return new Map(
    webhooks.map(([type, { post }]) => {
      const { parameters, requestBody } = post as Json;
      return [type, plain(document, { parameters, requestBody })];
    }),
  );
}

/** The messages of an AsyncAPI document, by event type: headers and value. */
export function eventPayloads(document: Json): Payloads {
  const messages = Object.values(((document.components as Json)?.messages ?? {}) as Record<string, Json>);
  return new Map(
    messages.map(({ name, headers, payload }) => [String(name), plain(document, { headers, payload })]),
  );
}

/** Returns the names of changed, added and removed payloads. */
export function changedPayloads(before: Payloads, after: Payloads): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
}

/** Normalizes a schema: no references, no descriptions, sorted members. */
function plain(document: Json, schema: unknown): string {
  return JSON.stringify(whole(document, schema));
}

/** @param within the parent member of the value */
function whole(document: Json, given: unknown, within = '', depth = 0): unknown {
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(given)) {
    const items = given.map((item) => whole(document, item, within, depth + 1));
    return items.every((item) => typeof item === 'string') ? items.toSorted() : items;
  }
  if (!isJson(given)) return given;
  const schema = '$ref' in given ? resolve(document, given) : given;
  // There a name is that of a member that is sent.
  const isWord = (name: string): boolean => within !== 'properties' && WORDS.includes(name);
  const entries = Object.entries(schema)
    .filter(([name]) => !isWord(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, value]) => [name, whole(document, value, name, depth + 1)]));
}
