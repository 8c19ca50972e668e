import { z } from 'zod';

/** "UUID format" of the contract (§2): any version, and in lower case from here on. */
export const uuid = z.guid().transform((text) => text.toLowerCase());

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Reads a UUID without a schema, for the checks of each token; undefined for another text. */
export function uuidOf(text: string): string | undefined {
  return UUID.test(text) ? text.toLowerCase() : undefined;
}
