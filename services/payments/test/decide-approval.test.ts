import { randomUUID } from 'node:crypto';
import { createLogger } from '@kontoport/lifecycle';
import { decideApproval } from '../src/approvals/decide-approval.ts';
import { showApproval } from '../src/approvals/show-approval.ts';
import { PAYMENT_TYPES } from '../src/domain/payment-types/payment-types.ts';
import type { AuthenticationRequest } from '../src/domain/ports/strong-customer-authentication.ts';
import { MemoryPaymentStore } from '../src/store/memory/memory-payment-store.ts';
import { TestAuthentication } from './approval-client.ts';
import { orderOf } from './initiations.conformance.ts';
import { draftOf, requestApproval, SENDER } from './store-fixtures.ts';

const HOUR = 3_600_000;
const BOUNDS = {
  lifetimeMs: 24 * HOUR,
  entriesPerClient: 10,
  entriesInAll: 100,
  organizationShare: 0.5,
  eventsInAll: 100,
};
const { userId } = SENDER;

/** Tells when the bank's answer would count as lost. */
class WatchedAuthentication extends TestAuthentication {
  readonly lostAt: (Date | undefined)[] = [];
  readonly #store: MemoryPaymentStore;
  constructor(store: MemoryPaymentStore) {
    super();
    this.#store = store;
  }
  override async authenticate(order: AuthenticationRequest) {
    const now = new Date();
    const basket = await this.#store.findBasketByApprovalId({ approvalId: order.approvalId, now });
    this.lostAt.push(basket?.approvalRequest?.dueAt);
    return super.authenticate(order);
  }
}

/** A standing order from 2026-11-23 on whose user is asked, for an hour; nobody but the test looks at it. */
async function asked() {
  const store = new MemoryPaymentStore(BOUNDS);
  const authentication = new WatchedAuthentication(store);
  const deps = {
    store,
    authentication,
    paymentTypes: PAYMENT_TYPES,
    directory: { find: () => undefined },
    settlementDelayMs: 0,
    logger: createLogger({ service: 'test', level: 'silent' }),
  };
  const now = new Date();
  const expiresAt = new Date(now.getTime() + HOUR);
  const { next: _next, dueAt: _dueAt, ...made } = orderOf(randomUUID(), { createdAt: now });
  const fields = {
    ...made.fields,
    receiverAccountBban: '00400440116243',
    receiverName: 'Receiver',
    amount: '1.00',
    currency: 'DKK',
  };
  const standingOrder = { ...made, fields, status: 'AWAITING_APPROVAL' as const };
  const { clientId, organizationIdentifier, paymentId, redirectUrl } = standingOrder;
  const owner = { clientId, organizationIdentifier, requestId: paymentId, draftIds: [] };
  const approvalId = randomUUID();
  const approvalRequest = { userId, expiresAt, dueAt: expiresAt, attempts: 0, traceparent: undefined };
  const basket = {
    ...owner,
    paymentIds: [paymentId],
    redirectUrl,
    status: 'AWAITING_APPROVAL' as const,
    approvalId,
    createdAt: now,
    approvalRequest,
  };
  await store.createBasket({ ...owner, now, decide: () => ({ basket, drafts: [], standingOrder }) });
  const { digest } = (await showApproval(deps, { approvalId, userId, now })).content!;
  const says = (decision: 'approve' | 'decline') =>
    decideApproval(deps, { approvalId, userId, decision, digest, language: 'en', now });
  const order = () => store.findStandingOrder({ clientId, paymentId, now });
  return { authentication, approvalId, now, says, order };
}

describe('what a user says of a standing order (§3.2, §4.5)', () => {
  it('has it run from its first day on, by the time that it is', async () => {
    const { says, order } = await asked();
    expect((await says('approve')).status).toBe('APPROVED');
    expect(await order()).toMatchObject({
      status: 'ACTIVE',
      next: { executionDate: '2026-11-23' },
      dueAt: new Date('2026-11-22T23:00:00Z'),
    });
  });

  it('is asked of the bank once, however often it is said; half a minute later another one asks', async () => {
    const { authentication, approvalId, now, says } = await asked();
    authentication.says = 'pending';
    for (const said of ['approve', 'approve', 'decline', 'approve'] as const)
      expect((await says(said)).status).toBe('AWAITING_APPROVAL');
    expect(authentication.countOf(approvalId)).toBe(1);
    expect(authentication.lostAt).toEqual([new Date(now.getTime() + 30_000)]);
  });
});

describe('what a user says of a single payment for a day (§3.2, §4.5)', () => {
  it('makes it due when that day begins where its account is kept', async () => {
    const store = new MemoryPaymentStore(BOUNDS);
    const now = new Date();
    const staged = draftOf(randomUUID(), now);
    const fields = {
      ...staged.fields,
      receiverAccountBban: '00400440116243',
      receiverName: 'R',
      amount: '1.00',
      currency: 'DKK',
    };
    const initiation = { redirectUrl: 'https://tpp.test/callback', executionDate: '2999-03-01' };
    const payment = { ...staged, kind: 'single' as const, fields, initiation };
    await store.createDraft(payment);
    const expiresAt = new Date(now.getTime() + HOUR);
    const { approvalId } = await requestApproval(store, { drafts: [payment], now, expiresAt });
    const deps = {
      store,
      authentication: new TestAuthentication(),
      paymentTypes: PAYMENT_TYPES,
      directory: { find: () => undefined },
      settlementDelayMs: 5_000,
      logger: createLogger({ service: 'test', level: 'silent' }),
    };
    const { digest } = (await showApproval(deps, { approvalId, userId, now })).content!;
    await decideApproval(deps, { approvalId, userId, decision: 'approve', digest, language: 'en', now });
    const { clientId, draftId } = payment;
    expect(await store.findDraft({ clientId, draftId, now })).toMatchObject({
      status: 'PENDING',
      payment: { dueAt: new Date('2999-02-28T23:00:05Z') },
    });
  });
});
