import { randomUUID } from 'node:crypto';
import type { AccountData, Present } from '../../accounts/account.model.ts';
import type { Db } from '../../gen/db.ts';
import { Places } from '../../places.ts';
import { TEXTS } from '../../texts.ts';
import { type SandboxData, sandboxData } from './sandbox-data.ts';

const MOST_REMEMBERED = 10_000;
const COPY_LIMITS_MS = { maxWait: 3_000, timeout: 10_000 };

/**
 * Simulated users, a copy for each client (§Sandbox), made on first use, and once: a copy stays for 25 hours after its
 * client was deleted, so that a payment that was approved still settles, and none is made again. So a client that was
 * seen once needs no second look. Copies in the making are bounded; who finds no place is UNAVAILABLE at once.
 * @param options.copiesInFlight how many copies are made at a time
 * @param options.organizationOf the organizationIdentifier of a client
 */
export function createSandboxAccountData(options: {
  db: Db;
  copiesInFlight: number;
  organizationOf: (clientId: string) => string;
}): AccountData {
  const { db, copiesInFlight, organizationOf } = options;
  // Each copy holds a connection of the database, and those who only read need connections, too.
  const share = Math.ceil(copiesInFlight / 2);
  const places = new Places({ most: copiesInFlight, share, busy: TEXTS('copies-busy') });
  /** Those that are looked for, and those that are there. */
  const ensured = new Map<string, Promise<void> | 'there'>();

  const look = async (clientId: string): Promise<void> => {
    if (await isThere(db, clientId)) return;
    await places.within(organizationOf(clientId), () => copyFor(db, clientId));
  };

  const ensure = (clientId: string): Promise<void> | 'there' => {
    const known = ensured.get(clientId);
    if (known !== undefined) return known;
    if (ensured.size >= MOST_REMEMBERED) ensured.delete(ensured.keys().next().value!);
    const looking = look(clientId);
    ensured.set(clientId, looking);
    looking.then(
      () => ensured.has(clientId) && ensured.set(clientId, 'there'),
      () => ensured.delete(clientId),
    );
    return looking;
  };

  return {
    ensure<Who extends { clientId: string }>(who: Who) {
      const there = ensure(who.clientId);
      return there === 'there' ? (who as Present<Who>) : there.then(() => who as Present<Who>);
    },
  };
}

async function isThere(db: Db, clientId: string): Promise<boolean> {
  return (await db.prisma.sandboxClient.findUnique({ where: { clientId } })) !== null;
}

/** One database transaction: a copy is there as a whole or not at all. */
async function copyFor(db: Db, clientId: string): Promise<void> {
  const { consents, accounts, consentAccounts, transactions, attachments, owned, due } = sandboxData(
    clientId,
    new Date(),
    randomUUID(),
  );
  await db.prisma.$transaction(async (tx) => {
    // Of two first uses the second waits here until the first is through, and then finds everything done.
    const fresh = await tx.sandboxClient.createMany({ data: { clientId }, skipDuplicates: true });
    if (fresh.count === 0) return;
    await tx.consent.createMany({ data: consents });
    await tx.account.createMany({ data: accounts });
    await tx.consentAccount.createMany({ data: consentAccounts });
    // One value for all rows: with one for each column of each row most of the time went by before the database had any.
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
  }, COPY_LIMITS_MS);
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
