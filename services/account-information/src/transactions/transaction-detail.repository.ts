import type { Tx } from '@kontoport/database';
import { isOpenTo } from '../consents/access-of-account.repository.ts';
import type { PresentCaller } from '../consents/caller.model.ts';
import { AS_TEXT, COLUMNS } from './transaction-columns.repository.ts';
import type { TransactionDetail, TransactionText } from './transaction.model.ts';

const OPEN = isOpenTo({ account: '$1', client: '$2', consent: '$3', role: '$5' });

/**
 * A transaction by its id, what was removed included (§2.9), if the caller may see its account. One statement decides
 * access and reads.
 * @returns undefined when either is unknown, they do not belong together, or the account is not accessible to the caller
 */
export async function selectTransaction(
  tx: Tx,
  options: { caller: PresentCaller; accountId: string; transactionId: string },
): Promise<TransactionDetail | undefined> {
  const { caller, accountId, transactionId } = options;
  const { rows } = await tx.query<TransactionText & { account_currency: string; deleted: 't' | 'f' }>({
    name: 'transaction-detail',
    text: `SELECT account.currency AS account_currency, whole.*
FROM account CROSS JOIN LATERAL (
  SELECT ${COLUMNS}, removed_at IS NOT NULL AS deleted, account_id FROM transaction
  WHERE id = $4::uuid AND refusal IS NULL OFFSET 0
) AS whole
WHERE account.id = $1::uuid AND whole.account_id = account.id AND ${OPEN}`,
    values: [accountId, caller.clientId, caller.consentId, transactionId, caller.role],
    types: AS_TEXT,
  });
  const [row] = rows;
  return row && { currency: row.account_currency, transaction: row, deleted: row.deleted === 't' };
}
