import { inTransaction } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import { accountUnknown } from '../accounts/account.model.ts';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import {
  type Consent,
  type ConsentRequest,
  isRepetition,
  isWithinReach,
  LONGEST_DAYS,
  MOST_LIVE,
} from './consent.model.ts';
import { countLiveAlone, findConsent, insertConsent, keepLatestEnded } from './consent.repository.ts';

/**
 * Opens accounts of a user to a client. The same again gets the consent as it is now, also when it has ended.
 * @throws ApiError DUPLICATE_ID (another consent has the id), FORMAT_ERROR (its end is out of reach), STATUS_INVALID
 *   (too many live ones), RESOURCE_UNKNOWN (an account is not the user's, or not CHECKING)
 */
export async function createConsent(
  { db }: { db: Db },
  { asked, now }: { asked: ConsentRequest; now: Date },
): Promise<Consent> {
  return inTransaction(db, async (tx) => {
    const live = await countLiveAlone(tx, asked);
    const known = await findConsent(tx, asked.id);
    if (known !== undefined) return requireRepetition(known, asked);
    if (!isWithinReach(asked.validUntil, now)) {
      const text = TEXTS('consent-end', { most: LONGEST_DAYS });
      throw new ApiError('FORMAT_ERROR', text, { details: [{ path: 'validUntil', text }] });
    }
    if (live >= MOST_LIVE)
      throw new ApiError('STATUS_INVALID', TEXTS('too-many-consents', { most: MOST_LIVE }));
    const opened = await insertConsent(tx, { asked, now });
    // Of two with one id, for different clients or users, the second finds the first.
    if (opened === undefined) throw idTaken();
    if (opened !== asked.accountIds.length) throw accountUnknown();
    await keepLatestEnded(tx, asked);
    return (await findConsent(tx, asked.id))!;
  });
}

function requireRepetition(known: Consent, asked: ConsentRequest): Consent {
  if (!isRepetition(known, asked)) throw idTaken();
  return known;
}

function idTaken(): ApiError {
  return new ApiError('DUPLICATE_ID', TEXTS('consent-id-taken'));
}
