import { fault, rule } from '@kontoport/errors';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';
import { parseInstant } from './instant.model.ts';

/** Transactions of a page (§8). */
const LIMIT = { most: 500, default: 100 };
const WITHIN_LIMIT = rule(TEXTS('limit-range', { least: 1, most: LIMIT.most }));

const INSTANT =
  'A date, which is 12:00 on that day, or a date-time; without a zone UTC. Pending transactions are measured by ' +
  'transactionTime, posted ones by postingTime.';

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
      .default(LIMIT.default)
      .meta({
        description: 'Of posted transactions, at most so many.',
        // Digits in the text of a query are a number to whoever reads the interface.
        override: {
          type: 'integer',
          minimum: 1,
          maximum: LIMIT.most,
          default: LIMIT.default,
          pattern: undefined,
        },
      }),
    from: instant('down')
      .optional()
      .meta({ description: `Only what comes after it. ${INSTANT}`, param: { example: '2026-01-31' } }),
    to: instant('up')
      .optional()
      .meta({
        description: `Only what comes before it. ${INSTANT}`,
        param: { example: '2026-02-28T23:00:00Z' },
      }),
    cursor: z
      .string()
      .optional()
      .meta({ description: 'The `nextCursor` of the page before, asked with the same from, to and limit.' }),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['from'],
    message: rule(TEXTS('from-after-to')),
  });
