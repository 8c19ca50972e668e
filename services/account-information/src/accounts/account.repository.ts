import type { Caller, PresentCaller } from '../consents/caller.model.ts';
import type { Db } from '../gen/db.ts';
import { type Account, accountUnknown } from './account.model.ts';

/** The accounts that a caller may use, in the bank's order. */
export async function findAccounts(db: Db, caller: PresentCaller): Promise<Account[]> {
  return db.prisma.account.findMany({
    where: { access: { some: openTo(caller) } },
    orderBy: [{ position: 'asc' }, { id: 'asc' }],
  });
}

/** The account, when the caller may use it. */
export async function findAccount(
  db: Db,
  caller: PresentCaller,
  accountId: string,
): Promise<Account | undefined> {
  const where = { id: accountId, access: { some: openTo(caller) } };
  return (await db.prisma.account.findFirst({ where })) ?? undefined;
}

/** The accounts of a user that can be opened to clients: CHECKING and not closed (§1), in the bank's order. */
export async function findAccountsOfUser(db: Db, userId: string): Promise<Account[]> {
  return db.prisma.account.findMany({
    where: { userId, type: 'CHECKING', closedAt: null },
    orderBy: [{ position: 'asc' }, { id: 'asc' }],
  });
}

/** @throws ApiError RESOURCE_UNKNOWN unless the caller may use the account. */
export async function requireAccount(db: Db, caller: PresentCaller, accountId: string): Promise<Account> {
  const account = await findAccount(db, caller, accountId);
  if (account === undefined) throw accountUnknown();
  return account;
}

/** Ownership: the view has live consents, with their roles, and accounts of type CHECKING that are not closed, nothing else (§1, §4.3). */
function openTo({ clientId, consentId, role }: Caller) {
  return { clientId, ...(consentId === undefined ? {} : { consentId }), roles: { has: role } };
}
