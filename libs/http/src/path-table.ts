/** What a path led to: the value of its pattern, and the segments that the pattern names, decoded. */
export interface Found<T> {
  value: T;
  params: Readonly<Record<string, string>>;
}

interface Pattern<T> {
  /** A named one begins with a colon. */
  segments: readonly string[];
  value: T;
}

const NONE: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Values by the path of a request. A pattern is a path in which a whole segment may be a name, such as
 * `/tpp/:clientId`; a path without names goes before the patterns, and of these the first that was set. Case counts, and one slash at the end
 * of a path does not.
 */
export class PathTable<T> {
  readonly #fixed = new Map<string, T>();
  readonly #patterns: Pattern<T>[] = [];

  /** Sets the value of a pattern, unless it has one. */
  set(pattern: string, value: T): void {
    const path = withoutLastSlash(pattern);
    if (path.includes('/:')) this.#patterns.push({ segments: path.split('/'), value });
    else if (!this.#fixed.has(path)) this.#fixed.set(path, value);
  }

  /**
   * @param path of a request, without its query
   * @throws URIError when a named segment is not percent-encoded UTF-8
   */
  find(path: string): Found<T> | undefined {
    const plain = withoutLastSlash(path);
    const value = this.#fixed.get(plain);
    if (value !== undefined) return { value, params: NONE };
    const segments = plain.split('/');
    const pattern = this.#patterns.find((candidate) => matches(candidate, segments));
    return pattern && { value: pattern.value, params: paramsOf(pattern, segments) };
  }
}

function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

const isName = (segment: string): boolean => segment.startsWith(':');

function matches({ segments }: Pattern<unknown>, given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, at) => (isName(segment) ? given[at] !== '' : segment === given[at]))
  );
}

function paramsOf({ segments }: Pattern<unknown>, given: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [at, segment] of segments.entries())
    if (isName(segment)) params[segment.slice(1)] = decodeURIComponent(given[at]!);
  return params;
}
