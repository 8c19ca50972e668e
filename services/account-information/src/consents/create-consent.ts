import { inTransaction, type Tx } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import { addToOutbox, type Relay } from '@kontoport/events';
import { accountUnknown } from '../accounts/account.model.ts';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import { consentGivenRecord, consentRevokedEvent, consentRevokedRecord } from './consent-event.ts';
import {
  type Consent,
  type ConsentRequest,
  isRepetition,
  isWithinReach,
  LONGEST_DAYS,
  MAX_LIVE,
} from './consent.model.ts';
import {
  countLiveAlone,
  endOldestGiven,
  findConsent,
  findStoredAccounts,
  insertConsent,
  keepLatestEnded,
} from './consent.repository.ts';

/**
 * Gives a client access to accounts of a user. A repetition returns the consent as it is now, also when it has ended.
 * Beyond 50 live ones, the oldest that the user gave is revoked. Event and audit records are written in the same database
 * transaction.
 * @throws ApiError DUPLICATE_ID (another consent has the id), FORMAT_ERROR (its end is too far ahead), RESOURCE_UNKNOWN (an
 *   account is not the user's, or not CHECKING)
 */
export async function createConsent(
  { db, relay }: { db: Db; relay: Relay },
  { asked, now }: { asked: ConsentRequest; now: Date },
): Promise<Consent> {
  const consent = await inTransaction(db, async (tx) => {
    const live = await countLiveAlone(tx, asked);
    const known = await findConsent(tx, asked.id);
    if (known !== undefined) return requireRepetition(tx, known, asked);
    if (!isWithinReach(asked.validUntil, now)) {
      const text = TEXTS('consent-end', { most: LONGEST_DAYS });
      throw new ApiError('FORMAT_ERROR', text, { details: [{ path: 'validUntil', text }] });
    }
    if (live >= MAX_LIVE) await giveWay(tx, { asked, surplus: live + 1 - MAX_LIVE, now });
    const opened = await insertConsent(tx, { asked, now });
    // Of two concurrent requests with one id, for different clients or users, the second finds the first.
    if (opened === undefined) throw idTaken();
    if (opened !== asked.accountIds.length) throw accountUnknown();
    await keepLatestEnded(tx, asked);
    const given = (await findConsent(tx, asked.id))!;
    await addToOutbox(tx, consentGivenRecord(given));
    return given;
  });
  relay.wake();
  return consent;
}

async function requireRepetition(tx: Tx, known: Consent, asked: ConsentRequest): Promise<Consent> {
  // A closed account is no longer listed, but belongs to the request.
  const accountIds = await findStoredAccounts(tx, known.id);
  if (!isRepetition({ ...known, accountIds }, asked)) throw idTaken();
  return known;
}

async function giveWay(
  tx: Tx,
  { asked, surplus, now }: { asked: ConsentRequest; surplus: number; now: Date },
): Promise<void> {
  for (const consentId of await endOldestGiven(tx, { ...asked, most: surplus, now })) {
    const ended = await findConsent(tx, consentId);
    if (ended) await addToOutbox(tx, consentRevokedEvent(ended), consentRevokedRecord(ended, 'SERVICE'));
  }
}

function idTaken(): ApiError {
  return new ApiError('DUPLICATE_ID', TEXTS('consent-id-taken'));
}
