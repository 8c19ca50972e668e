import { z } from 'zod';

/** "UUID format" of the contract (§2): any version, and in lower case from here on. */
export const uuid = z.guid().transform((text) => text.toLowerCase());
