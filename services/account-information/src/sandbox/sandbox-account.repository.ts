import type { Tx } from '@kontoport/database';
import { accountUnknown, type PresentClient } from '../accounts/account.model.ts';

/** An account of a client's copy, as far as its client may know it without consent: no amounts. */
export interface SandboxAccount {
  id: string;
  name: string;
  bban: string;
  currency: string;
  supportsPayments: boolean;
}

/**
 * The accounts of a client's copy in the bank's order, CHECKING alone (§1).
 * @param accountId absent: all of them
 */
export async function findSandboxAccounts(
  tx: Tx,
  { clientId }: PresentClient,
  accountId?: string,
): Promise<SandboxAccount[]> {
  const { rows } = await tx.query<SandboxAccount>({
    name: 'find-sandbox-accounts',
    // Each by its id: a join would leave the planner free to read the accounts of all.
    text: `SELECT account.id, name, bban, currency, supports_payments AS "supportsPayments"
FROM sandbox_account CROSS JOIN LATERAL (
  SELECT * FROM account WHERE id = sandbox_account.account_id AND type = 'CHECKING' AND closed_at IS NULL OFFSET 0
) AS account
WHERE client_id = $1::uuid AND ($2::uuid IS NULL OR account_id = $2::uuid)
ORDER BY position, account.id`,
    values: [clientId, accountId],
  });
  return rows;
}

/** @throws ApiError RESOURCE_UNKNOWN unless it is an account of the client's copy */
export async function requireSandboxAccount(
  tx: Tx,
  caller: PresentClient,
  accountId: string,
): Promise<SandboxAccount> {
  const [account] = await findSandboxAccounts(tx, caller, accountId);
  if (account === undefined) throw accountUnknown();
  return account;
}
