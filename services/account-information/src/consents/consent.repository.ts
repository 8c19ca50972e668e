import type { Db } from '../gen/db.ts';
import type { PresentCaller } from './caller.model.ts';
import type { Consent } from './consent.model.ts';

/** The live consents of a client that open at least one account, oldest first. */
export async function findLiveConsents(db: Db, { clientId }: PresentCaller): Promise<Consent[]> {
  const consents = await db.prisma.consent.findMany({
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
