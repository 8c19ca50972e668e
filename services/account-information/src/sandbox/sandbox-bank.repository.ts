import type { PrismaTx } from '../gen/db.ts';
import { MOVES_LOCK } from './clock.repository.ts';

/**
 * Locks a client that may join a bank. SQL (upsert that returns): a client that has no row gets one.
 * @returns undefined when it is a member already, or was deleted
 */
export async function lockClient(tx: PrismaTx, clientId: string): Promise<{ isNew: boolean } | undefined> {
  const [client] = await tx.$queryRaw<{ isNew: boolean }[]>`
INSERT INTO sandbox_client (client_id) VALUES (${clientId}::uuid)
ON CONFLICT (client_id) DO UPDATE SET organization = NULL
  WHERE sandbox_client.organization IS NULL AND sandbox_client.deleted_at IS NULL
RETURNING created_at = now()::timestamptz(3) AS "isNew"`;
  return client;
}

/** Locks the bank of an organization until the transaction ends. SQL (upsert that returns): it inserts a missing row. */
export async function lockBank(tx: PrismaTx, organization: string): Promise<{ isNew: boolean }> {
  const [bank] = await tx.$queryRaw<{ isNew: boolean }[]>`
INSERT INTO sandbox_bank (organization) VALUES (${organization})
ON CONFLICT (organization) DO UPDATE SET organization = excluded.organization
RETURNING created_at = now()::timestamptz(3) AS "isNew"`;
  return bank!;
}

/** Finds the clients of a bank without a recorded deletion. */
export async function findLiveMembers(tx: PrismaTx, organization: string): Promise<string[]> {
  const members = await tx.sandboxClient.findMany({
    where: { organization, deletedAt: null },
    select: { clientId: true },
  });
  return members.map(({ clientId }) => clientId);
}

/**
 * Makes a client a member of a bank, with the bank's clock. SQL (one statement): it reads the clock and writes it. It
 * acquires the lock of clock moves, so it comes last.
 */
export async function joinBank(
  tx: PrismaTx,
  { clientId, organization }: { clientId: string; organization: string },
): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${MOVES_LOCK})`;
  await tx.$executeRaw`UPDATE sandbox_client SET organization = bank.organization, clock_offset_ms = bank.clock_offset_ms,
  moved_at = CASE WHEN bank.clock_offset_ms > 0 THEN clock_timestamp() END
FROM sandbox_bank AS bank WHERE client_id = ${clientId}::uuid AND bank.organization = ${organization}`;
}

/** Locks the clients of a bank without a recorded deletion, in the order of `moveClock`. SQL (lock). */
export async function lockLiveMembers(tx: PrismaTx, organization: string): Promise<string[]> {
  const members = await tx.$queryRaw<{ clientId: string }[]>`
SELECT client_id AS "clientId" FROM sandbox_client WHERE organization = ${organization} AND deleted_at IS NULL
ORDER BY client_id FOR UPDATE`;
  return members.map(({ clientId }) => clientId);
}

/**
 * Deletes the transactions of a bank and sets its clock to the real time. The accounts stay, and with them the consents
 * that open them. SQL (lock): the ledger locks an account before it writes its transactions.
 */
export async function clearBank(tx: PrismaTx, organization: string): Promise<void> {
  await tx.$executeRaw`SELECT FROM account WHERE id IN (
  SELECT account_id FROM sandbox_account WHERE organization = ${organization}) ORDER BY id FOR NO KEY UPDATE`;
  await tx.sandboxDue.deleteMany({ where: { organization } });
  await tx.$executeRaw`DELETE FROM transaction USING sandbox_account AS owned
WHERE transaction.account_id = owned.account_id AND organization = ${organization}`;
  await tx.sandboxBank.update({ where: { organization }, data: { clockOffsetMs: 0 } });
}

/**
 * Sets the clocks of a bank's clients to the real time. Consents that ended by the moved clock end now; live ones keep their
 * end. SQL (one statement each): they compare with the clock. It acquires the lock of clock moves, so it comes last.
 */
export async function restartClocks(tx: PrismaTx, clientIds: readonly string[]): Promise<void> {
  await tx.$executeRaw`UPDATE consent SET clock_offset_ms = 0, valid_until = CASE
    WHEN valid_until + clock_offset_ms * interval '1 millisecond' > client_now(client_id) THEN valid_until
    ELSE least(valid_until, now()) END
WHERE client_id = ANY (${clientIds}::uuid[]) AND valid_until IS NOT NULL`;
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${MOVES_LOCK})`;
  await tx.$executeRaw`UPDATE sandbox_client SET clock_offset_ms = 0, moved_at = clock_timestamp()
WHERE client_id = ANY (${clientIds}::uuid[]) AND moved_at IS NOT NULL`;
}

/** Deletes the accounts and consents that version 0.1 created for one client. */
export async function deleteOwnAccounts(tx: PrismaTx, clientId: string): Promise<void> {
  await tx.sandboxDue.deleteMany({ where: { clientId } });
  await tx.consent.deleteMany({ where: { clientId } });
  await tx.account.deleteMany({ where: { sandbox: { clientId } } });
}
