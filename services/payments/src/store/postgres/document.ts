/** What marks an instant in a document; what a TPP sends never becomes an object with a key of its own. */
const INSTANT = '$instant';

/** A record as it is stored: JSON with its instants. */
export function toDocument(record: object): string {
  return JSON.stringify(record, function mark(this: Record<string, unknown>, key, value: unknown) {
    // The value itself was turned into text already.
    const given = this[key];
    return given instanceof Date ? { [INSTANT]: given.toISOString() } : value;
  });
}

/** The record of a document of `toDocument`. */
export function fromDocument<T>(document: string): T {
  return JSON.parse(document, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && INSTANT in value
      ? new Date(value[INSTANT] as string)
      : value,
  ) as T;
}
