/** The key of an instant in a document; the input of a TPP never becomes an object with its own keys. */
const INSTANT = '$instant';

/** A record as it is stored: JSON with its instants. */
export function toDocument(record: object): string {
  return JSON.stringify(
    renamed(record, 'approvalRequest', STORED_NAME),
    function mark(this: Record<string, unknown>, key, value: unknown) {
      // `value` is already text.
      const given = this[key];
      return given instanceof Date ? { [INSTANT]: given.toISOString() } : value;
    },
  );
}

/** The record of a document of `toDocument`, which the driver or Prisma has parsed. */
export function fromDocument<T>(document: unknown): T {
  return renamed(revive(document) as object, STORED_NAME, 'approvalRequest') as T;
}

/** Name of the approval request in stored baskets: the previous release reads and writes them during an upgrade. */
const STORED_NAME = 'asking';

function renamed(record: object, from: string, to: string): object {
  if (!(from in record)) return record;
  const { [from]: value, ...rest } = record as Record<string, unknown>;
  return { ...rest, [to]: value };
}

function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== 'object' || value === null) return value;
  if (INSTANT in value) return new Date(value[INSTANT] as string);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, revive(member)]));
}
