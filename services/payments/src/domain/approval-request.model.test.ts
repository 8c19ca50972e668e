import {
  completeApproval,
  expireIfOverdue,
  leaseApprovalRequest,
  recordAnswer,
  schedulePoll,
} from './approval-request.model.ts';
import type { BasketState } from './basket-state.model.ts';
import type { Basket } from './basket.model.ts';
import { type Draft, newDraft } from './draft.model.ts';
import { domesticCreditTransferRules as rules } from './payment-types/domestic-credit-transfer.model.ts';
import { submit } from './payment.model.ts';
import type { StandingOrder } from './standing-order.model.ts';

const NOW = new Date('2026-11-22T12:00:00Z');
const later = (ms: number): Date => new Date(NOW.getTime() + ms);
const END = later(1_000);

const created = newDraft(
  {
    clientId: 'client',
    organizationIdentifier: 'PSDDK-DFSA-1',
    draftId: 'draft',
    paymentType: 'domestic-credit-transfer',
    name: 'Rent',
  },
  { rules, now: NOW },
);
const senderAccount = {
  accountId: 'account',
  userId: 'user',
  bban: '',
  ownerName: '',
  currency: 'DKK',
  supportsPayments: true,
  supportsTransfers: true,
};
const submission = { requestId: 'request', now: NOW, expiresAt: END, traceparent: undefined, senderAccount };
const basket: Basket = {
  clientId: 'client',
  organizationIdentifier: 'PSDDK-DFSA-1',
  requestId: 'request',
  draftIds: ['draft'],
  paymentIds: ['payment'],
  redirectUrl: 'https://tpp.test/callback',
  status: 'AWAITING_APPROVAL',
  approvalId: 'approval',
  createdAt: NOW,
  approvalRequest: { userId: 'user', expiresAt: END, dueAt: END, attempts: 0, traceparent: undefined },
};
const waiting: BasketState = { basket, drafts: [submit(created, { ...submission, paymentId: 'payment' })] };
const statusOf = ({ basket: { status }, drafts }: BasketState) => [
  status,
  ...drafts.map((draft) => draft.status),
];
const toPayment = (draft: Draft): Draft => ({ ...draft, status: 'PENDING' });
const approved = {
  outcome: 'approved',
  approve: toPayment,
  activate: (order: StandingOrder): StandingOrder => ({ ...order, status: 'ACTIVE' }),
} as const;

describe('an approval expires at its end (§3.2)', () => {
  it('to the millisecond', () => {
    expect(expireIfOverdue(waiting, later(999))).toBe(waiting);
    expect(statusOf(expireIfOverdue(waiting, END))).toEqual(['EXPIRED', 'EXPIRED']);
  });

  it('also against a late approval of the bank', () => {
    expect(statusOf(completeApproval(waiting, approved, later(999)))).toEqual(['APPROVED', 'PENDING']);
    expect(statusOf(completeApproval(waiting, approved, END))).toEqual(['EXPIRED', 'EXPIRED']);
  });

  it('also against a user who answers too late', () => {
    const late = { decision: 'decline', digest: 'digest', language: 'en', at: END } as const;
    const found = recordAnswer(waiting, { answer: late, leaseMs: 100 });
    expect(statusOf(found)).toEqual(['EXPIRED', 'EXPIRED']);
    expect(found.basket.approvalRequest?.answer).toBeUndefined();
  });

  it('and does not change ended ones', () => {
    for (const end of [approved, { outcome: 'declined' }, { outcome: 'failed' }] as const) {
      const ended = completeApproval(waiting, end, NOW);
      expect(expireIfOverdue(ended, END)).toBe(ended);
      for (const other of [approved, { outcome: 'declined' }, { outcome: 'failed' }] as const)
        expect(completeApproval(ended, other, NOW)).toBe(ended);
    }
  });

  it('with the drafts that wait for this basket alone', () => {
    const [own] = waiting.drafts;
    const foreign = submit(created, { ...submission, requestId: 'another', paymentId: 'other' });
    const others = [foreign, created, { ...own!, status: 'PENDING' as const }];
    const { drafts } = expireIfOverdue({ basket, drafts: [own!, ...others] }, END);
    expect(drafts[0]!.status).toBe('EXPIRED');
    expect(drafts.slice(1)).toEqual(others);
  });
});

describe('a standing order ends with its own approval (§3.2)', () => {
  // The approval of a standing order changes only these two fields.
  const orderOf = (status: StandingOrder['status']) => ({ status, updatedAt: NOW }) as StandingOrder;
  const askedFor = (status: StandingOrder['status']): BasketState => ({
    basket,
    drafts: [],
    standingOrder: orderOf(status),
  });
  const at = later(500);

  it.each([
    ['EXPIRED', expireIfOverdue(askedFor('AWAITING_APPROVAL'), END), END],
    ['REJECTED', completeApproval(askedFor('AWAITING_APPROVAL'), { outcome: 'declined' }, at), at],
    ['REJECTED', completeApproval(askedFor('AWAITING_APPROVAL'), { outcome: 'failed' }, at), at],
  ] as const)('%s', (status, { basket: ended, standingOrder }, updatedAt) => {
    expect([ended.status, standingOrder]).toEqual([status, { status, updatedAt }]);
  });

  it.each(['ENDED', 'ACTIVE', 'EXPIRED'] as const)('and one that is %s does not change', (status) => {
    const found = askedFor(status);
    const ends = [
      expireIfOverdue(found, END),
      completeApproval(found, approved, at),
      completeApproval(found, { outcome: 'declined' }, at),
    ];
    for (const { standingOrder } of ends) expect(standingOrder).toBe(found.standingOrder);
  });
});

describe('the next look at an approval', () => {
  it.each([
    ['when the lease is over', NOW, 999, later(999)],
    ['at its end, when that comes before', NOW, 1_001, END],
    ['after the lease, when its end is over', END, 100, later(1_100)],
  ])('%s', (_when, now, leaseMs, dueAt) => {
    expect(leaseApprovalRequest(basket, { now, leaseMs }).approvalRequest).toMatchObject({
      attempts: 1,
      dueAt,
    });
  });

  it.each([
    ['when it was put off to', later(999), later(999)],
    ['at its end, when that comes before', later(1_001), END],
  ])('%s', (_when, wanted, dueAt) => {
    expect(schedulePoll(waiting, wanted).basket.approvalRequest?.dueAt).toEqual(dueAt);
  });

  it('never once it has ended', () => {
    const ended = completeApproval(waiting, { outcome: 'failed' }, NOW);
    expect(leaseApprovalRequest(ended.basket, { now: NOW, leaseMs: 1 })).toBe(ended.basket);
    expect(schedulePoll(ended, END)).toBe(ended);
  });
});
