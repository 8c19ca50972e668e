import { rule } from '@kontoport/errors';
import { instant } from '@kontoport/http';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';

/** Transactions of a page (§8). */
const LIMIT = { most: 500, default: 100 };
const WITHIN_LIMIT = rule(TEXTS('limit-range', { least: 1, most: LIMIT.most }));

/** Maximum offset (§4.3). */
const MAX_OFFSET = 10_000_000;
const WITHIN_OFFSET = rule(TEXTS('limit-range', { least: 0, most: MAX_OFFSET }));

const INSTANT = 'A date, which means 12:00 on that day, or a date-time; UTC if it has no zone.';
const BOTH_TIMES =
  'It is compared with the transactionTime of pending transactions and the postingTime of posted ones.';

const limit = z
  .string()
  .regex(/^\d{1,9}$/, WITHIN_LIMIT)
  .transform(Number)
  .refine((given) => given >= 1 && given <= LIMIT.most, WITHIN_LIMIT)
  .default(LIMIT.default);

// The OpenAPI document describes digits in a query as a number.
const LIMIT_AS_NUMBER = {
  type: 'integer',
  minimum: 1,
  maximum: LIMIT.most,
  default: LIMIT.default,
  pattern: undefined,
} as const;

const windowOf = (measured: string) => ({
  from: instant('down')
    .optional()
    .meta({
      description: `Only transactions after this time. ${INSTANT} ${measured}`,
      param: { example: '2026-01-31' },
    }),
  to: instant('up')
    .optional()
    .meta({
      description: `Only transactions before this time. ${INSTANT} ${measured}`,
      param: { example: '2026-02-28T23:00:00Z' },
    }),
});

const isWindow = ({ from, to }: { from?: string | undefined; to?: string | undefined }): boolean =>
  from === undefined || to === undefined || from <= to;
const NO_WINDOW = { path: ['from'], message: rule(TEXTS('from-after-to')) };

/** The query of `GET /v2/accounts/{accountId}/transactions` (§4.3); instants as ISO 8601 UTC. */
export const pageQuery = z
  .strictObject({
    limit: limit.meta({ description: 'Maximum number of posted transactions.', override: LIMIT_AS_NUMBER }),
    ...windowOf(BOTH_TIMES),
    cursor: z
      .string()
      .optional()
      .meta({ description: 'The `nextCursor` of the previous page, with the same from, to and limit.' }),
  })
  .refine(isWindow, NO_WINDOW);

/** The query of `GET /accounts/{accountId}/transactions` (§4.3); instants as ISO 8601 UTC. */
export const flatQuery = z
  .strictObject({
    limit: limit.meta({ description: 'Maximum number of transactions.', override: LIMIT_AS_NUMBER }),
    offset: z
      .string()
      .regex(/^\d{1,9}$/, WITHIN_OFFSET)
      .transform(Number)
      .refine((given) => given <= MAX_OFFSET, WITHIN_OFFSET)
      .default(0)
      .meta({
        description: 'Number of transactions to skip.',
        override: { type: 'integer', minimum: 0, maximum: MAX_OFFSET, default: 0, pattern: undefined },
      }),
    ...windowOf('It is compared with transactionTime.'),
  })
  .refine(isWindow, NO_WINDOW);
