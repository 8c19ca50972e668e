import type { Tx } from '@kontoport/database';
import { isOpenTo } from '../consents/access-of-account.repository.ts';
import type { PresentCaller } from '../consents/caller.model.ts';
import { AS_TEXT, COLUMNS, type Listed, listedRows } from './transaction-columns.repository.ts';
import type { Position, TransactionPage } from './transaction.model.ts';

/** Below every UUID: a position with it lies strictly before its instant. */
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

const OPEN = isOpenTo({ account: '$1', client: '$2', consent: '$3', role: '$9' });

/**
 * The pending transactions of an account and the next posted ones (§4.3), if the caller may see it.
 * One statement decides access and reads, so there is no moment between the two. Plain SQL: through Prisma the same
 * page took 4.7 times as long.
 * @param options.after the last transaction of the page before
 * @returns undefined when the account is unknown or not accessible to the caller
 */
export async function selectTransactionPage(
  tx: Tx,
  options: {
    caller: PresentCaller;
    accountId: string;
    from: string | undefined;
    to: string | undefined;
    after: Position | undefined;
    rows: number;
  },
): Promise<TransactionPage | undefined> {
  const { caller, accountId, from = '-infinity', to = 'infinity', after, rows } = options;
  const below = after ?? { postingTime: to, id: LOWEST_ID };
  const result = await tx.query<Listed>({
    name: 'transaction-page',
    text: `SELECT account.currency AS account_currency, listed.*
FROM account LEFT JOIN LATERAL (
  SELECT ${COLUMNS} FROM transaction
  WHERE account_id = account.id AND status = 'authorization' AND removed_at IS NULL
    AND transaction_time > $4::timestamptz AND transaction_time < $5::timestamptz
  UNION ALL
  (SELECT ${COLUMNS} FROM transaction
   WHERE account_id = account.id AND status = 'financial'
     AND posting_time > $4::timestamptz AND (posting_time, id) < ($6::timestamptz, $7::uuid)
   ORDER BY posting_time DESC, id DESC LIMIT $8)
) AS listed ON true
WHERE account.id = $1::uuid AND ${OPEN}
ORDER BY listed.posting_time DESC NULLS FIRST,
  CASE WHEN listed.posting_time IS NULL THEN listed.transaction_time END DESC, listed.id DESC`,
    values: [
      accountId,
      caller.clientId,
      caller.consentId,
      from,
      to,
      below.postingTime,
      below.id,
      rows,
      caller.role,
    ],
    types: AS_TEXT,
  });
  const [first] = result.rows;
  if (first === undefined) return undefined;
  const listed = listedRows(result.rows);
  const pending = listed.filter((row) => row.posting_time === null);
  return { currency: first.account_currency, pending, posted: listed.slice(pending.length) };
}
