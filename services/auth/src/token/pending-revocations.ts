import { describeError, Loop } from '@kontoport/lifecycle';
import { type FamilyEnder, revokeAccessTokens } from './end-token-family.ts';
import { claimDueRevocations, RevocationCursor } from './token-family.repository.ts';

const EVERY_MS = 5_000;
/** The time until a failed revocation is retried, also after a crash. */
const RETRY_MS = 30_000;

/** Retries the revocation of access tokens of ended families. */
export function pendingRevocations(ender: FamilyEnder): Loop {
  const { db, logger } = ender;
  const cursor = new RevocationCursor();
  return new Loop({
    name: 'pending revocations',
    everyMs: EVERY_MS,
    logger,
    async work(signal) {
      const now = new Date();
      const retryAt = new Date(now.getTime() + RETRY_MS);
      const due = await claimDueRevocations(db, { now, retryAt, cursor });
      await Promise.all(
        due.map((each) =>
          revokeAccessTokens(ender, each, signal).catch((error: unknown) => {
            const { clientId } = each;
            logger.warn({ clientId, error: describeError(error) }, 'access tokens not revoked yet');
          }),
        ),
      );
    },
  });
}
