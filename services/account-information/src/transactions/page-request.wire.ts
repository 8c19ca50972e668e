import { z } from 'zod';
import { parseInstant } from './instant.model.ts';

/** Specification §8. */
const LIMIT = { most: 500, default: 100 };

const instant = (finer: 'down' | 'up') =>
  z.string().transform((text, context) => {
    const parsed = parseInstant(text, finer);
    if (parsed !== undefined) return parsed;
    context.addIssue({
      code: 'custom',
      message:
        'must be an ISO 8601 date or date-time such as 2026-01-31 or 2026-01-31T08:00:00Z ' +
        '(in a URL the plus sign of a zone is %2B)',
    });
    return z.NEVER;
  });

/** The query of `GET /v2/accounts/{accountId}/transactions` (specification §4.3); instants as ISO 8601 UTC. */
export const pageRequest = z
  .strictObject({
    limit: z
      .string()
      .regex(/^\d{1,9}$/, `must be a whole number from 1 to ${LIMIT.most}`)
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= LIMIT.most, `must be a whole number from 1 to ${LIMIT.most}`)
      .default(LIMIT.default),
    from: instant('down').optional(),
    to: instant('up').optional(),
    cursor: z.string().optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['from'],
    message: 'must not be later than `to`',
  });

export type PageRequest = z.output<typeof pageRequest>;
