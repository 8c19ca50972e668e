/** Strings, and what gives JSON its structure. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/gs;

/** An object or a list that is still open: where in it the text is. */
interface Open {
  /** The names that an object has so far; of a list none are told. */
  names: Set<string> | undefined;
  at: string | number;
}

/**
 * The paths of members whose name their object has already, which JSON.parse takes the last of without a word.
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
      // Written in whatever way: an escape is another spelling of the same name.
      inner.at = JSON.parse(last) as string;
      if (inner.names.has(inner.at)) paths.push(open.map(({ at }) => at).join('.'));
      inner.names.add(inner.at);
    }
    last = token;
  }
  return paths;
}

/** How many members the objects of a parsed value have, at all levels. */
export function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner: unknown[] = Object.values(value);
  let members = Array.isArray(value) ? 0 : inner.length;
  for (const one of inner) if (typeof one === 'object') members += membersOf(one);
  return members;
}
