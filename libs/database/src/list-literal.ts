const SPECIAL = /["\\]/;
const SPECIALS = /["\\]/g;
/** What JSON writes in another way than a list does: control characters, and halves of a surrogate pair. */
const OTHER_IN_JSON = /[\p{Cc}\p{Cs}]/u;

/**
 * A list of texts, numbers and nulls as a parameter of an array type, such as `$1::text[]`. The driver does the same with
 * lists themselves, in several times as long.
 */
export function listLiteral(values: readonly (string | number | bigint | null)[]): string {
  let literal = '{';
  for (const value of values) {
    if (literal.length > 1) literal += ',';
    if (value === null) literal += 'NULL';
    else if (typeof value !== 'string') literal += value;
    else if (SPECIAL.test(value)) literal += quoted(value);
    else literal += `"${value}"`;
  }
  return `${literal}}`;
}

/** With a backslash before quotes and backslashes, as in JSON, which the engine writes in a third of the time. */
function quoted(value: string): string {
  return OTHER_IN_JSON.test(value) ? `"${value.replace(SPECIALS, '\\$&')}"` : JSON.stringify(value);
}

/**
 * A parameter that the planner takes for a list of usual length, whatever its length: one plan is made and kept for lists of
 * all sizes. Where it sees the length it takes short lists for cheaper than any kept plan, and plans each time anew.
 */
export const listParameter = (number: number, type: string): string =>
  `(SELECT $${number}::${type}[])::${type}[]`;

/**
 * Documents of JSON as one parameter, a line each: what `JSON.stringify` writes has no line break. Quotes, of which they are
 * full, need no mark there, which both sides would set and take away character by character.
 */
export const documentLines = (documents: readonly string[]): string => documents.join('\n');

/** The list of texts that a parameter of `documentLines` is. */
export const documentsParameter = (number: number): string => `string_to_array($${number}, E'\\n')`;
