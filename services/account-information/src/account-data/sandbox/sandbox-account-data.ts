import type { PresentCaller } from '../../consents/caller.model.ts';
import type { Db } from '../../db.ts';
import type { AccountData } from '../account-data.ts';
import { sandboxData } from './sandbox-data.ts';

const MOST_REMEMBERED = 10_000;
const COPY_LIMITS_MS = { maxWait: 3_000, timeout: 10_000 };

/**
 * Simulated users, a copy for each client (§Sandbox), made on first use. Copies stay when
 * their client is deleted: nobody can read them any more, and a payment that was approved still settles. So a client
 * that was seen once needs no second look.
 */
export function createSandboxAccountData({ db }: { db: Db }): AccountData {
  const ensured = new Map<string, Promise<void>>();

  const ensure = (clientId: string): Promise<void> => {
    const known = ensured.get(clientId);
    if (known !== undefined) return known;
    if (ensured.size >= MOST_REMEMBERED) ensured.delete(ensured.keys().next().value!);
    const copying = copyFor(db, clientId);
    ensured.set(clientId, copying);
    copying.catch(() => ensured.delete(clientId));
    return copying;
  };

  return {
    async ensure(caller) {
      await ensure(caller.clientId);
      return caller as PresentCaller;
    },
  };
}

/** One database transaction: a copy is there as a whole or not at all. */
async function copyFor(db: Db, clientId: string): Promise<void> {
  const isThere = await db.prisma.consent.findFirst({ where: { clientId }, select: { id: true } });
  if (isThere !== null) return;
  const { consents, accounts, consentAccounts, transactions } = sandboxData(clientId, new Date());
  await db.prisma.$transaction(async (tx) => {
    // Of two first uses the second waits here until the first is through, and then finds everything done.
    const granted = await tx.consent.createMany({ data: consents, skipDuplicates: true });
    if (granted.count === 0) return;
    await tx.account.createMany({ data: accounts });
    await tx.consentAccount.createMany({ data: consentAccounts });
    await tx.transaction.createMany({ data: transactions });
  }, COPY_LIMITS_MS);
}
