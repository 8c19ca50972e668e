/**
 * Stands in for what was never opened, so that the list of entry points can be read without opening anything: every
 * property of it, every call and every element of it is hollow again, and nothing happens.
 */
export function hollow(): unknown {
  const nothing: unknown = new Proxy(function nothing() {}, {
    get(_target, key) {
      // A promise would call it, and wait for ever.
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
