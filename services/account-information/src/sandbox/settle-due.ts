import { ApiError } from '@kontoport/errors';
import { describeError, type Logger, Loop } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { claimDue, dropDue } from './due.repository.ts';
import type { Due } from './simulation.model.ts';

const EVERY_MS = 500;
/** Transactions per run: requests need connections of the pool, too. */
const AT_A_TIME = 4;
const LEASE_MS = 30_000;

/** Refusals that a retry does not change: the transaction ended otherwise, or its account was deleted. */
const ENDED: ReadonlySet<string> = new Set(['STATUS_INVALID', 'RESOURCE_UNKNOWN']);

/**
 * Settles or fails due pending transactions of the sandbox, through the ledger as a bank's feed would. Replicas share the
 * work; after a crash another replica continues with the claimed transactions.
 */
export function settleDue(deps: { db: Db; ledger: Ledger; logger: Logger }): Loop {
  const { db, logger } = deps;
  return new Loop({
    name: 'due transactions of the sandbox',
    everyMs: EVERY_MS,
    async work() {
      const due = await claimDue(db, { limit: AT_A_TIME, leaseMs: LEASE_MS });
      if (due.length === 0) return undefined;
      const outcomes = await Promise.all(due.map((one) => end(deps, one)));
      await dropDue(
        db,
        due.filter((_one, at) => outcomes[at]).map(({ transactionId }) => transactionId),
      );
      return 0;
    },
    logger,
  });
}

/** Returns whether the transaction has ended. If not, a run retries it when its claim expires. */
async function end(
  { ledger, logger }: { ledger: Ledger; logger: Logger },
  { transactionId, accountId, outcome, endsAt }: Due,
): Promise<boolean> {
  const ids = { transactionId, accountId };
  try {
    if (outcome === 'settle')
      await ledger.submit({ command: 'Settle', ...ids, amount: undefined, postingTime: endsAt });
    else await ledger.submit({ command: 'Fail', ...ids });
    return true;
  } catch (error) {
    if (error instanceof ApiError && ENDED.has(error.code)) return true;
    logger.warn(
      { error: describeError(error), transactionId },
      'ending a due transaction failed; a run retries it when its claim expires',
    );
    return false;
  }
}
