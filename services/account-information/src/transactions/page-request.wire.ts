import { rule } from '@kontoport/errors';
import { instant, numberOfList } from '@kontoport/http';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';

/** Transactions of a page (§8). */
const LIMIT = { least: 1, most: 500, default: 100 };

const INSTANT = 'A date, which means 12:00 on that day, or a date-time; UTC if it has no zone.';
const BOTH_TIMES =
  'It is compared with the transactionTime of pending transactions and the postingTime of posted ones.';

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
    limit: numberOfList(LIMIT, 'Maximum number of posted transactions.'),
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
    limit: numberOfList(LIMIT, 'Maximum number of transactions.'),
    offset: numberOfList({ least: 0, most: 10_000_000, default: 0 }, 'Number of transactions to skip.'),
    ...windowOf('It is compared with transactionTime.'),
  })
  .refine(isWindow, NO_WINDOW);
