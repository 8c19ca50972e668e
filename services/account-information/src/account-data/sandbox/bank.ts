import type { Db, PrismaTx } from '../../gen/db.ts';
import {
  clearBank,
  lockBank,
  lockLiveMembers,
  restartClocks,
} from '../../sandbox/sandbox-bank.repository.ts';
import {
  type BulkTransactions,
  type Member,
  sandboxConsents,
  type SandboxData,
  sandboxData,
} from './sandbox-data.ts';

/** Bounds of a transaction that writes a whole bank. */
export const TRANSACTION_LIMITS_MS = { maxWait: 3_000, timeout: 10_000 };

/**
 * Resets the simulated bank of an organization (§Sandbox) in one database transaction: accounts, transactions and clock
 * are those of a new bank, and the automatic consents of its clients are granted again. Consents that users gave stay.
 */
export async function resetBank(db: Db, organization: string): Promise<void> {
  await db.prisma.$transaction(async (tx) => {
    await lockBank(tx, organization);
    const clientIds = await lockLiveMembers(tx, organization);
    await startOver(tx, organization);
    for (const clientId of clientIds) await grantConsents(tx, { clientId, organization });
    await restartClocks(tx, clientIds);
  }, TRANSACTION_LIMITS_MS);
}

/** Sets accounts, transactions and clock of a bank to those of a new one. The caller holds its lock. */
export async function startOver(tx: PrismaTx, organization: string): Promise<void> {
  const data = sandboxData(organization, new Date());
  await clearBank(tx, organization);
  await insertBank(tx, data);
  for (const { id, balance, reserved, lastPostingTime = null } of data.accounts)
    await tx.account.update({ where: { id }, data: { balance, reserved, lastPostingTime } });
}

/** Grants a client the automatic consents, those again that a user has withdrawn. */
export async function grantConsents(tx: PrismaTx, member: Member): Promise<void> {
  const { clientId, organization } = member;
  const { consents, consentAccounts } = sandboxConsents(member, new Date());
  await tx.consent.createMany({ data: consents, skipDuplicates: true });
  await tx.consent.updateMany({ where: { clientId, validUntil: null }, data: { revokedAt: null } });
  // A bank that an earlier version created has fewer accounts.
  const owned = await tx.sandboxAccount.findMany({ where: { organization }, select: { accountId: true } });
  const known = new Set(owned.map(({ accountId }) => accountId));
  await tx.consentAccount.createMany({
    data: consentAccounts.filter(({ accountId }) => known.has(accountId)),
    skipDuplicates: true,
  });
}

/** Inserts a simulated bank. Accounts that exist stay. */
export async function insertBank(tx: PrismaTx, data: SandboxData): Promise<void> {
  const { accounts, jointOwners, transactions, owned, due, attachments } = data;
  await tx.account.createMany({ data: accounts, skipDuplicates: true });
  await tx.jointOwner.createMany({ data: jointOwners, skipDuplicates: true });
  // All rows are one JSON parameter. One parameter per column and row took longer to prepare than to insert.
  await tx.$executeRaw`INSERT INTO transaction (id, account_id, status, type, transaction_time, posting_time,
  billing_amount, transaction_amount, transaction_currency, balance_after, title, details)
SELECT id, account_id, status, type, transaction_time, posting_time,
  billing_amount, transaction_amount, transaction_currency, balance_after, title, details
FROM json_to_recordset(${rowsJson(transactions)}::json) AS row (
  id uuid, account_id uuid, status text, type text, transaction_time timestamptz, posting_time timestamptz,
  billing_amount bigint, transaction_amount bigint, transaction_currency text, balance_after bigint, title text, details json)`;
  for (const bulk of data.bulks) await insertBulk(tx, bulk);
  await tx.sandboxAccount.createMany({ data: owned, skipDuplicates: true });
  await tx.sandboxDue.createMany({ data: due });
  await tx.attachment.createMany({ data: attachments });
}

/** Inserts transactions from their ids alone. SQL (batch): PostgreSQL computes all other columns. */
async function insertBulk(tx: PrismaTx, bulk: BulkTransactions): Promise<void> {
  const { accountId, currency, title, type, ids, amounts, newest, everyMs, balance } = bulk;
  await tx.$executeRaw`INSERT INTO transaction (id, account_id, status, type, transaction_time, posting_time,
  billing_amount, transaction_amount, transaction_currency, balance_after, title, details)
SELECT id, ${accountId}::uuid, 'financial', ${type}, at, at + interval '1 minute', amount, amount, ${currency},
  ${balance}::bigint - coalesce(sum(amount) OVER (ORDER BY turn ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0),
  ${title}, '{}'
FROM (
  SELECT id, turn, ${newest}::timestamptz - (turn - 1) * ${everyMs}::float8 * interval '1 millisecond' AS at,
    (${[...amounts]}::bigint[])[1 + (turn - 1) % ${amounts.length}::int] AS amount
  FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS made (id, turn)
) AS bulk`;
}

/** Rows as PostgreSQL reads them, with the names of the columns. */
function rowsJson(transactions: SandboxData['transactions']): string {
  return JSON.stringify(
    transactions.map((row) => ({
      id: row.id,
      account_id: row.accountId,
      status: row.status,
      type: row.type,
      transaction_time: row.transactionTime,
      posting_time: row.postingTime,
      billing_amount: String(row.billingAmount),
      transaction_amount: row.transactionAmount?.toString(),
      transaction_currency: row.transactionCurrency,
      balance_after: row.balanceAfter?.toString(),
      title: row.title,
      details: row.details,
    })),
  );
}
