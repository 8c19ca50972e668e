import { randomUUID } from 'node:crypto';
import type { Tx } from '@kontoport/database';
import { createLogger } from '@kontoport/lifecycle';
import { decideApproval } from '../src/approvals/decide-approval.ts';
import type { PollBankDeps } from '../src/approvals/poll-bank.ts';
import { summarize } from '../src/approvals/summarize.ts';
import type { Basket } from '../src/domain/basket.model.ts';
import { PAYMENT_TYPES } from '../src/domain/payment-types/payment-types.ts';
import type { PaymentStore } from '../src/domain/ports/payment-store.ts';
import { runStandingOrder } from '../src/domain/standing-order.model.ts';
import { loadBasketState } from '../src/store/with-lazy-expiry.ts';
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
  | { does: 'decide'; approvalId: string; userId: string };

/** The bank's answers to questions about approvals: one row for each time that it was asked. */
export const ANSWERS = 'CREATE TABLE answers (approval_id text NOT NULL, digest text NOT NULL)';

/** Dependencies of approvals: a bank that approves, and records each request. */
export function pollBankDeps(store: PaymentStore, db: { pool: Tx }): PollBankDeps {
  return {
    store,
    paymentTypes: PAYMENT_TYPES,
    directory: { find: () => undefined },
    settlementDelayMs: 0,
    logger: createLogger({ service: 'test', level: 'silent' }),
    authentication: {
      begin: async () => 'AWAITING_APPROVAL',
      async authenticate({ approvalId, digest }) {
        await db.pool.query('INSERT INTO answers VALUES ($1, $2)', [approvalId, digest]);
        return { status: 'approved' };
      },
    },
  };
}

/** Runs the task as far as it gets; a repeated run continues from the stored state. */
export async function work(deps: PollBankDeps, task: DyingTask): Promise<void> {
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
