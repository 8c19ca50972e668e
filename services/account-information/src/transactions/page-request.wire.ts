import { fault, rule } from '@kontoport/errors';
import { z } from 'zod';
import { parseInstant } from './instant.model.ts';
import { TEXTS } from '../texts.ts';

/** Transactions of a page (§8). */
const LIMIT = { most: 500, default: 100 };
const WITHIN_LIMIT = rule(TEXTS('limit-range', { least: 1, most: LIMIT.most }));

const instant = (finer: 'down' | 'up') =>
  z.string().transform((text, context) => {
    const parsed = parseInstant(text, finer);
    if (parsed !== undefined) return parsed;
    context.addIssue({ code: 'custom', ...fault(TEXTS('instant-invalid')) });
    return z.NEVER;
  });

/** The query of `GET /v2/accounts/{accountId}/transactions` (§4.3); instants as ISO 8601 UTC. */
export const pageQuery = z
  .strictObject({
    limit: z
      .string()
      .regex(/^\d{1,9}$/, WITHIN_LIMIT)
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= LIMIT.most, WITHIN_LIMIT)
      .default(LIMIT.default),
    from: instant('down').optional(),
    to: instant('up').optional(),
    cursor: z.string().optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['from'],
    message: rule(TEXTS('from-after-to')),
  });
