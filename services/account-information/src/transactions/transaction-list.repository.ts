import type { Tx } from '@kontoport/database';
import { isOpenTo } from '../consents/access-of-account.repository.ts';
import type { PresentCaller } from '../consents/caller.model.ts';
import { AS_TEXT, COLUMNS, type Listed, listedRows } from './transaction-columns.repository.ts';
import type { FlatRequest, TransactionList } from './transaction.model.ts';

const OPEN = isOpenTo({ account: '$1', client: '$2', consent: '$3', role: '$8' });

/**
 * A stretch of the flat list (§4.3), if the caller may see the account: newest first by transaction time and id, every
 * status, without what was removed. One statement decides access and reads. The index alone is walked over what is
 * passed; rows are fetched for the answer only.
 * @returns undefined when the account is unknown or not accessible to the caller
 */
export async function selectTransactionList(
  tx: Tx,
  options: { caller: PresentCaller; accountId: string; request: FlatRequest },
): Promise<TransactionList | undefined> {
  const { caller, accountId, request } = options;
  const { from = '-infinity', to = 'infinity', limit, offset } = request;
  const { rows } = await tx.query<Listed>({
    name: 'transaction-list',
    text: `SELECT account.currency AS account_currency, listed.*
FROM account LEFT JOIN LATERAL (
  SELECT whole.* FROM (
    SELECT id AS place FROM transaction
    WHERE account_id = account.id AND removed_at IS NULL
      AND transaction_time > $4::timestamptz AND transaction_time < $5::timestamptz
    ORDER BY transaction_time DESC, id DESC LIMIT $6 OFFSET $7
  ) AS places CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM transaction WHERE id = places.place OFFSET 0
  ) AS whole
) AS listed ON true
WHERE account.id = $1::uuid AND ${OPEN}
ORDER BY listed.transaction_time DESC, listed.id DESC`,
    values: [accountId, caller.clientId, caller.consentId, from, to, limit, offset, caller.role],
    types: AS_TEXT,
  });
  const [first] = rows;
  return first && { currency: first.account_currency, transactions: listedRows(rows) };
}
