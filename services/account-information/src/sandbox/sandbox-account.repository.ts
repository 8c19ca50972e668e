import { accountUnknown, type PresentClient } from '../accounts/account.model.ts';
import type { Db } from '../gen/db.ts';

/** The fields of a simulated account that a client may read without consent: no amounts. */
export interface SandboxAccount {
  id: string;
  name: string;
  bban: string;
  currency: string;
  supportsPayments: boolean;
}

/**
 * Finds the accounts of the client's simulated bank in the bank's order, only CHECKING (§1).
 * @param accountId absent: all of them
 */
export async function findSandboxAccounts(
  db: Db,
  { clientId }: PresentClient,
  accountId?: string,
): Promise<SandboxAccount[]> {
  return db.prisma.account.findMany({
    where: {
      sandbox: { bank: { clients: { some: { clientId } } } },
      type: 'CHECKING',
      closedAt: null,
      ...(accountId !== undefined && { id: accountId }),
    },
    orderBy: [{ position: 'asc' }, { id: 'asc' }],
    select: { id: true, name: true, bban: true, currency: true, supportsPayments: true },
  });
}

/** @throws ApiError RESOURCE_UNKNOWN unless it is an account of the client's simulated bank */
export async function requireSandboxAccount(
  db: Db,
  caller: PresentClient,
  accountId: string,
): Promise<SandboxAccount> {
  const [account] = await findSandboxAccounts(db, caller, accountId);
  if (account === undefined) throw accountUnknown();
  return account;
}
