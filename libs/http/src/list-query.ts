import { rule } from '@kontoport/errors';
import { z } from 'zod';
import { HTTP_TEXTS } from './texts.ts';

/** A whole number in the query of a list. */
export function numberOfList(
  range: { least: number; most: number; default: number },
  description: string,
): z.ZodType<number, string | undefined> {
  const { least, most } = range;
  const within = rule(HTTP_TEXTS('range', { least, most }));
  return z
    .string()
    .regex(/^\d{1,9}$/, within)
    .transform(Number)
    .refine((given) => given >= least && given <= most, within)
    .default(range.default)
    .meta({
      description,
      // The OpenAPI document describes digits in a query as a number.
      override: {
        type: 'integer',
        minimum: least,
        maximum: most,
        default: range.default,
        pattern: undefined,
      },
    });
}

/** The query of a list whose pages `cursorOf` continues. @param entries in the plural */
export const pageOfList = (entries: string) => ({
  cursor: z.string().max(64).optional().meta({ description: '`nextCursor` of the previous page.' }),
  limit: numberOfList({ least: 1, most: 100, default: 50 }, `Maximum number of ${entries} on the page.`),
});
