import { describeError, Loop } from '@kontoport/lifecycle';
import { type FamilyEnder, revokeAccessTokens } from './end-token-family.ts';
import { RevocationWalk, takeDueRevocations } from './token-family.repository.ts';

const EVERY_MS = 5_000;
/** When one that failed, or whose process died over it, is tried again. */
const AGAIN_MS = 30_000;

/** Sees to it that the access tokens of ended families are refused everywhere, when that was not told at the time. */
export function pendingRevocations(ender: FamilyEnder): Loop {
  const { db, logger } = ender;
  const walk = new RevocationWalk();
  return new Loop({
    name: 'pending revocations',
    everyMs: EVERY_MS,
    logger,
    async work(signal) {
      const now = new Date();
      const againAt = new Date(now.getTime() + AGAIN_MS);
      const due = await takeDueRevocations(db, { now, againAt, walk });
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
