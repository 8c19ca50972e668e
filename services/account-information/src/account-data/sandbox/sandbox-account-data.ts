import { ApiError } from '@kontoport/errors';
import { ConcurrencyLimiter } from '@kontoport/fairness';
import type { AccountData, Present } from '../../accounts/account.model.ts';
import type { Db, PrismaTx } from '../../gen/db.ts';
import {
  clearBank,
  deleteOwnAccounts,
  findLiveMembers,
  joinBank,
  lockBank,
  lockClient,
} from '../../sandbox/sandbox-bank.repository.ts';
import { TEXTS } from '../../texts.ts';
import { type Member, sandboxConsents, type SandboxData, sandboxData } from './sandbox-data.ts';

const MAX_REMEMBERED = 10_000;
const TRANSACTION_LIMITS_MS = { maxWait: 3_000, timeout: 10_000 };

interface Options {
  db: Db;
  /** Maximum number of concurrent first uses. */
  firstUsesInFlight: number;
  /** The organizationIdentifier of a client. @throws ApiError UNAVAILABLE when the client is not known yet */
  organizationOf: (clientId: string) => string;
  isDeleted: (clientId: string) => boolean;
}

/**
 * Simulated users (§Sandbox): each organization has one simulated bank, which its clients share. A client joins it on
 * first use, and the first client of an organization creates it. Membership ends with the client, so a client is looked up
 * only once. First uses beyond the limit are UNAVAILABLE at once.
 */
export function createSandboxAccountData(options: Options): AccountData {
  const { db, firstUsesInFlight, organizationOf } = options;
  // Each first use holds a database connection. Other requests need connections, too.
  const limiter = new ConcurrencyLimiter({
    max: firstUsesInFlight,
    maxPerKey: Math.ceil(firstUsesInFlight / 2),
    refusal: () => new ApiError('UNAVAILABLE', TEXTS('first-uses-busy')),
  });
  /** Members, and clients whose lookup is in progress. */
  const ensured = new Map<string, Promise<void> | 'member'>();

  const lookUp = async (clientId: string): Promise<void> => {
    if (await isMember(db, clientId)) return;
    const organization = organizationOf(clientId);
    await limiter.run(organization, () => join(options, { clientId, organization }));
  };

  const ensure = (clientId: string): Promise<void> | 'member' => {
    const known = ensured.get(clientId);
    if (known !== undefined) return known;
    if (ensured.size >= MAX_REMEMBERED) ensured.delete(ensured.keys().next().value!);
    const lookingUp = lookUp(clientId);
    ensured.set(clientId, lookingUp);
    lookingUp.then(
      () => ensured.has(clientId) && ensured.set(clientId, 'member'),
      () => ensured.delete(clientId),
    );
    return lookingUp;
  };

  return {
    ensure<Who extends { clientId: string }>(who: Who) {
      const membership = ensure(who.clientId);
      return membership === 'member' ? (who as Present<Who>) : membership.then(() => who as Present<Who>);
    },
  };
}

/** Whether the client is a member of its bank, or was deleted and joins none. */
async function isMember(db: Db, clientId: string): Promise<boolean> {
  const client = await db.prisma.sandboxClient.findUnique({ where: { clientId } });
  return client !== null && (client.organization !== null || client.deletedAt !== null);
}

/** Joins in one database transaction, so that a bank exists as a whole or not at all. */
async function join({ db, isDeleted }: Pick<Options, 'db' | 'isDeleted'>, member: Member): Promise<void> {
  const { clientId, organization } = member;
  await db.prisma.$transaction(async (tx) => {
    // Of two first uses of a client, the second waits here for the first and then finds the data.
    const client = await lockClient(tx, clientId);
    if (client === undefined) return;
    const bank = await lockBank(tx, organization);
    // All previous clients are deleted: a new registration gets the bank in its initial state.
    const isAbandoned = !bank.isNew && (await findLiveMembers(tx, organization)).every(isDeleted);
    if (isAbandoned) await clearBank(tx, organization);
    if (bank.isNew || isAbandoned) await insertBank(tx, sandboxData(organization, new Date()));
    if (!client.isNew) await deleteOwnAccounts(tx, clientId);
    const { consents, consentAccounts } = sandboxConsents(member, new Date());
    await tx.consent.createMany({ data: consents });
    // A bank that an earlier version created has fewer accounts.
    const owned = await tx.sandboxAccount.findMany({ where: { organization }, select: { accountId: true } });
    const known = new Set(owned.map(({ accountId }) => accountId));
    await tx.consentAccount.createMany({
      data: consentAccounts.filter(({ accountId }) => known.has(accountId)),
    });
    await joinBank(tx, member);
  }, TRANSACTION_LIMITS_MS);
}

async function insertBank(tx: PrismaTx, data: SandboxData): Promise<void> {
  const { accounts, jointOwners, transactions, owned, due, attachments } = data;
  await tx.account.createMany({ data: accounts });
  await tx.jointOwner.createMany({ data: jointOwners });
  // All rows are one JSON parameter. One parameter per column and row took longer to prepare than to insert.
  await tx.$executeRaw`INSERT INTO transaction (id, account_id, status, type, transaction_time, posting_time,
  billing_amount, transaction_amount, transaction_currency, balance_after, title, details)
SELECT id, account_id, status, type, transaction_time, posting_time,
  billing_amount, transaction_amount, transaction_currency, balance_after, title, details
FROM json_to_recordset(${rowsJson(transactions)}::json) AS row (
  id uuid, account_id uuid, status text, type text, transaction_time timestamptz, posting_time timestamptz,
  billing_amount bigint, transaction_amount bigint, transaction_currency text, balance_after bigint, title text, details json)`;
  await tx.sandboxAccount.createMany({ data: owned });
  await tx.sandboxDue.createMany({ data: due });
  await tx.attachment.createMany({ data: attachments });
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
