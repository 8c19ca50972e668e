import type { Db } from '../gen/db.ts';
import { type Account, accountUnknown, type Caller, type PresentCaller } from './account.model.ts';

/** Finds the accounts that a caller may use, in the bank's order. */
export async function findAccounts(db: Db, caller: PresentCaller): Promise<Account[]> {
  return db.prisma.account.findMany({
    where: { access: { some: openTo(caller) } },
    orderBy: [{ position: 'asc' }, { id: 'asc' }],
  });
}

/** Finds an account that the caller may use; undefined for any other. */
export async function findAccount(
  db: Db,
  caller: PresentCaller,
  accountId: string,
): Promise<Account | undefined> {
  const where = { id: accountId, access: { some: openTo(caller) } };
  return (await db.prisma.account.findFirst({ where })) ?? undefined;
}

/**
 * Finds the accounts of a user that can be opened to clients: CHECKING and not closed (§1), in the bank's order. Two
 * queries: in one, PostgreSQL would read every account for the joint owners.
 */
export async function findAccountsOfUser(db: Db, userId: string): Promise<Account[]> {
  const joint = await db.prisma.jointOwner.findMany({ where: { userId }, select: { accountId: true } });
  return db.prisma.account.findMany({
    where: {
      OR: [{ userId }, { id: { in: joint.map(({ accountId }) => accountId) } }],
      type: 'CHECKING',
      closedAt: null,
    },
    orderBy: [{ position: 'asc' }, { id: 'asc' }],
  });
}

/** @throws ApiError RESOURCE_UNKNOWN unless the caller may use the account. */
export async function requireAccount(db: Db, caller: PresentCaller, accountId: string): Promise<Account> {
  const account = await findAccount(db, caller, accountId);
  if (account === undefined) throw accountUnknown();
  return account;
}

/** Ownership: the view holds only live consents, with their roles, and accounts of type CHECKING that are not closed (§1, §4.3). */
export function openTo({ clientId, consentId, role }: Caller) {
  return { clientId, ...(consentId === undefined ? {} : { consentId }), roles: { has: role } };
}

/**
 * The rows of the view `account_access` that belong to one account, as an item of FROM. Each row is looked up by account
 * and consent, so that no plan reads other consents, not even a plan made for an empty table.
 * @param parameter of the statement, such as `$1`: the account's id
 */
export function accessOfAccount(parameter: string): string {
  return `(
  SELECT access.* FROM consent_account AS opened CROSS JOIN LATERAL (
    SELECT client_id, consent_id, roles FROM account_access
    WHERE account_id = opened.account_id AND consent_id = opened.consent_id OFFSET 0
  ) AS access WHERE opened.account_id = ${parameter}::uuid
) AS access`;
}

/**
 * A condition: a live consent opens the account to the caller, for the role.
 * @param parameters of the statement: the account, and the fields of a `Caller`
 */
export function isOpenTo(parameters: {
  account: string;
  client: string;
  consent: string;
  role: string;
}): string {
  const { account, client, consent, role } = parameters;
  return `EXISTS (
  SELECT FROM ${accessOfAccount(account)}
  WHERE client_id = ${client}::uuid AND (${consent}::uuid IS NULL OR consent_id = ${consent}::uuid)
    AND ${role}::text = ANY (roles))`;
}
