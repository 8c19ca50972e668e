/**
 * Makes dependencies that do nothing, so the list of entry points can be read without opening anything. Every property and every
 * call of the stub returns the stub again.
 */
export function stubDeps(): unknown {
  const nothing: unknown = new Proxy(function nothing() {}, {
    get(_target, key) {
      // Resolving a promise with it would call `then` and never settle.
      if (key === 'then') return undefined;
      if (key === Symbol.iterator) return [][Symbol.iterator].bind([]);
      if (key === Symbol.toPrimitive) return () => 0;
      return nothing;
    },
    apply: () => nothing,
    construct: () => nothing as object,
  });
  return nothing;
}
