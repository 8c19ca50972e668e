import { randomUUID } from 'node:crypto';
import type { Tx } from '@kontoport/database';
import { createLogger } from '@kontoport/lifecycle';
import { decideApproval } from '../src/approvals/decide-approval.ts';
import type { PollBankDeps } from '../src/approvals/poll-bank.ts';
import { summarize } from '../src/approvals/summarize.ts';
import { systemClock } from '../src/clocks/client-clocks.ts';
import type { Basket } from '../src/domain/basket.model.ts';
import { paymentOf } from '../src/domain/draft.model.ts';
import { PAYMENT_TYPES } from '../src/domain/payment-types/payment-types.ts';
import type { Bank } from '../src/domain/ports/bank.ts';
import type { PaymentStore } from '../src/domain/ports/payment-store.ts';
import { runStandingOrder } from '../src/domain/standing-order.model.ts';
import { loadBasketState } from '../src/store/with-lazy-expiry.ts';
import { settlePayments } from '../src/workers/settle-payments.ts';
import { approveDraftsIn } from './store-fixtures.ts';

/** The points at which a process may die: around one of its commits, counted from 1, or once the bank has answered it. */
export interface Death {
  commit?: number;
  when: 'before commit' | 'after commit' | 'after answer';
}

/** The tasks of a process that dies meanwhile. */
export type DyingTask =
  /** Makes the runs of the standing orders that are due at a moment. */
  | { does: 'run'; at: string }
  /** Approves drafts of a client for its TPP. */
  | { does: 'approve'; clientId: string; draftIds: readonly string[]; requestId: string }
  /** Records the approval of a user. */
  | { does: 'decide'; approvalId: string; userId: string }
  /** Settles due payments until it dies. */
  | { does: 'settle' };

/** Dependencies of the tasks. */
export type CrashDeps = PollBankDeps & { bank: Bank };

/** Calls that the bank answered: the questions about approvals and the submitted payments, one row per call. */
export const ANSWERS = `
  CREATE TABLE answers (approval_id text NOT NULL, digest text NOT NULL);
  CREATE TABLE submitted (payment_id text NOT NULL)`;

/** Builds the dependencies with a bank that approves and books everything, and stores each call. */
export function crashDeps(store: PaymentStore, db: { pool: Tx }): CrashDeps {
  return {
    store,
    paymentTypes: PAYMENT_TYPES,
    clocks: systemClock.clocks,
    directory: { find: () => undefined },
    settlementDelayMs: 0,
    logger: createLogger({ service: 'test', level: 'silent' }),
    authentication: {
      begin: () => ({ status: 'AWAITING_APPROVAL' }),
      async authenticate({ approvalId, digest }) {
        await db.pool.query('INSERT INTO answers VALUES ($1, $2)', [approvalId, digest]);
        return { status: 'approved' };
      },
    },
    bank: {
      async submit({ draft }) {
        await db.pool.query('INSERT INTO submitted VALUES ($1)', [paymentOf(draft).paymentId]);
        return 'booked';
      },
      cancel: () => Promise.reject(new Error('No task cancels a payment.')),
    },
  };
}

/** Runs the task as far as it gets; a repeated run continues from the stored state. */
export async function work(deps: CrashDeps, task: DyingTask): Promise<void> {
  const { store } = deps;
  if (task.does === 'run') {
    const now = new Date(task.at);
    const run = { now, aheadMs: 0, settlementDelayMs: 0 };
    await store.runStandingOrders({
      now,
      limit: 10,
      run: (order) => runStandingOrder(order, { ...run, paymentId: randomUUID() }),
    });
    return;
  }
  if (task.does === 'settle') return settlePayments(deps).start();
  const now = new Date();
  if (task.does === 'approve') {
    const { clientId, draftIds, requestId } = task;
    await approveDraftsIn(store, {
      drafts: await store.findDrafts({ clientId, draftIds, now }),
      requestId,
      now,
    });
    return;
  }
  const { approvalId, userId } = task;
  const basket = (await store.findBasketByApprovalId({ approvalId, now })) as Basket;
  const { digest } = summarize(PAYMENT_TYPES, await loadBasketState(store, basket, now));
  await decideApproval(deps, { approvalId, userId, decision: 'approve', digest, language: 'en', now });
}
