import type { Caller } from '../consents/caller.model.ts';
import type { PrismaClient } from '../gen/prisma/client.ts';

/** Specification §2.2; amounts in minor units of `currency`. */
export interface Account {
  id: string;
  name: string;
  type: string;
  currency: string;
  bban: string;
  iban: string | null;
  swift: string | null;
  balance: bigint;
  reserved: bigint;
  available: bigint;
  creditLimit: bigint | null;
  supportsPayments: boolean;
  supportsTransfers: boolean;
  ownerName: string | null;
  usage: string | null;
}

/** The accounts that a caller may use, in the bank's order. */
export async function findAccounts(prisma: PrismaClient, caller: Caller): Promise<Account[]> {
  return prisma.account.findMany({
    where: { access: { some: openTo(caller) } },
    orderBy: [{ position: 'asc' }, { id: 'asc' }],
  });
}

/** The account, when the caller may use it. */
export async function findAccount(
  prisma: PrismaClient,
  caller: Caller,
  accountId: string,
): Promise<Account | undefined> {
  const where = { id: accountId, access: { some: openTo(caller) } };
  return (await prisma.account.findFirst({ where })) ?? undefined;
}

function openTo({ clientId, consentId }: Caller) {
  return consentId === undefined ? { clientId } : { clientId, consentId };
}
