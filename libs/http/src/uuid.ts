import { z } from 'zod';

/** "UUID format" of the contract (§2): any version, and in lower case from here on. */
export const uuid = z.guid().transform((text) => text.toLowerCase());

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The same of a text alone, for what is read at every token; undefined where it is none. */
export function uuidOf(text: string): string | undefined {
  return UUID.test(text) ? text.toLowerCase() : undefined;
}
