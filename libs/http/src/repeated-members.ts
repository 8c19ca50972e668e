/** Strings and the structural characters of JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/gs;

/** An open object or list, and the current position in it. */
interface Open {
  /** The names so far; undefined for a list. */
  names: Set<string> | undefined;
  at: string | number;
}

/**
 * Returns the paths of duplicate members, of which JSON.parse silently keeps the last.
 * @param text valid JSON
 */
export function repeatedMembers(text: string): string[] {
  const paths: string[] = [];
  const open: Open[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const inner = open.at(-1);
    if (token === '{') open.push({ names: new Set(), at: '' });
    else if (token === '[') open.push({ names: undefined, at: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && typeof inner?.at === 'number') inner.at += 1;
    else if (token === ':' && inner?.names !== undefined) {
      // An escape is another spelling of the same name.
      inner.at = JSON.parse(last) as string;
      if (inner.names.has(inner.at)) paths.push(open.map(({ at }) => at).join('.'));
      inner.names.add(inner.at);
    }
    last = token;
  }
  return paths;
}

/** Counts the members of all objects in a parsed value. */
export function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner: unknown[] = Object.values(value);
  let members = Array.isArray(value) ? 0 : inner.length;
  for (const one of inner) if (typeof one === 'object') members += membersOf(one);
  return members;
}
