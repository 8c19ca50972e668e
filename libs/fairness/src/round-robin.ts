/**
 * Orders items round-robin by key: the first of each key, then the second of each, and so on. Items of one key, and those of one
 * round, keep their order.
 * @param options.keyOf the key of an item, such as its organization
 * @param options.heldBy how many a key holds already: its items begin that many rounds later
 */
export function roundRobin<T>(
  items: readonly T[],
  { keyOf, heldBy = () => 0 }: { keyOf: (item: T) => string; heldBy?: (key: string) => number },
): T[] {
  const next = new Map<string, number>();
  const rounds = items.map((item) => {
    const key = keyOf(item);
    const round = next.get(key) ?? heldBy(key);
    next.set(key, round + 1);
    return { item, round };
  });
  return rounds.toSorted((one, other) => one.round - other.round).map(({ item }) => item);
}
