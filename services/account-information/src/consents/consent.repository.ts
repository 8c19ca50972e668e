import type { PrismaClient } from '../gen/prisma/client.ts';

/** A live consent of a client. */
export interface Consent {
  id: string;
  userId: string;
  accountIds: string[];
  grantedAt: Date;
  /** Absent: until it is revoked. */
  validUntil: Date | undefined;
}

/** The live consents of a client that open at least one account, oldest first. */
export async function findLiveConsents(prisma: PrismaClient, clientId: string): Promise<Consent[]> {
  const consents = await prisma.consent.findMany({
    where: { clientId, access: { some: {} } },
    include: { access: { orderBy: { account: { position: 'asc' } } } },
    orderBy: [{ grantedAt: 'asc' }, { id: 'asc' }],
  });
  return consents.map(({ id, userId, access, grantedAt, validUntil }) => ({
    id,
    userId,
    accountIds: access.map(({ accountId }) => accountId),
    grantedAt,
    validUntil: validUntil ?? undefined,
  }));
}
