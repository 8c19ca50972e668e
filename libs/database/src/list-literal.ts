const SPECIAL = /["\\]/;
const SPECIALS = /["\\]/g;

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
    else if (SPECIAL.test(value)) literal += `"${value.replace(SPECIALS, '\\$&')}"`;
    else literal += `"${value}"`;
  }
  return `${literal}}`;
}
