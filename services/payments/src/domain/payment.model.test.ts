import { type Draft, newDraft } from './draft.model.ts';
import { PAYMENT_TYPES } from './payment-types/payment-types.ts';
import { approve, beginPosting, endPosting, requireCancellable } from './payment.model.ts';

const rules = PAYMENT_TYPES['domestic-credit-transfer'];
const NOW = new Date('2026-11-21T12:00:00Z');
const later = (ms: number): Date => new Date(NOW.getTime() + ms);

const CREATED = newDraft(
  {
    clientId: 'client',
    organizationIdentifier: 'PSDDK-DFSA-1',
    draftId: 'draft',
    paymentType: 'domestic-credit-transfer',
    name: 'Rent',
  },
  { rules, now: NOW },
);
const approval = {
  requestId: 'request',
  paymentId: 'payment',
  now: later(1_000),
  settlementDelayMs: 3_000,
  traceparent: undefined,
  senderAccount: {
    accountId: 'account',
    userId: 'user',
    bban: '00400440116243',
    ownerName: 'Owner',
    currency: 'DKK',
    supportsPayments: true,
    supportsTransfers: true,
  },
};

describe('an approved draft is a payment, due when its payment type says so (§3.2)', () => {
  it.each([
    ['settle-after-delay', later(4_000)],
    ['settle-at-once', later(1_000)],
  ] as const)('%s', (onApproval, dueAt) => {
    expect(approve(CREATED, { ...approval, rules: { ...rules, onApproval } })).toMatchObject({
      status: 'PENDING',
      updatedAt: later(1_000),
      payment: { paymentId: 'payment', requestId: 'request', approvedAt: later(1_000), dueAt, attempts: 0 },
    });
  });
});

describe('approval, settlement and cancellation of a draft exclude each other (§3.2)', () => {
  const PENDING = approve(CREATED, { ...approval, rules });
  const posting = beginPosting(PENDING, { now: later(4_000), leaseMs: 30_000 });

  it('begins to post for the time of a lease', () => {
    expect(posting).toMatchObject({
      status: 'PENDING',
      updatedAt: PENDING.updatedAt,
      payment: { attempts: 1, dueAt: later(34_000) },
    });
  });

  it.each([
    ['before', PENDING],
    ['while', posting],
  ])(
    'asks the bank for a cancellation %s it is posted, and is CREATED again once it is cancelled',
    (_when, draft) => {
      expect(() => requireCancellable(draft)).not.toThrow();
      const end = { outcome: 'cancel', paymentId: 'payment', now: later(5_000) } as const;
      const cancelled = endPosting(draft, end);
      expect(cancelled).toMatchObject({ status: 'CREATED', updatedAt: later(5_000) });
      expect(cancelled).not.toHaveProperty('payment');
      expect(endPosting(cancelled, end)).toBe(cancelled);
    },
  );

  it('has nothing to cancel without a payment, nor once it is settled', () => {
    expect(() => requireCancellable(CREATED)).toThrow(expect.objectContaining({ code: 'RESOURCE_UNKNOWN' }));
    const settled = endPosting(posting, { outcome: 'settle', paymentId: 'payment', now: later(5_000) });
    expect(() => requireCancellable(settled)).toThrow(
      expect.objectContaining({ code: 'STATUS_INVALID', status: 409 }),
    );
  });

  it('takes the outcome of its own payment only, and only once', () => {
    const settle = (draft: Draft, paymentId: string): Draft =>
      endPosting(draft, { outcome: 'settle', paymentId, now: later(5_000) });
    expect(settle(posting, 'another')).toBe(posting);
    const settled = settle(posting, 'payment');
    expect(settled).toMatchObject({ status: 'COMPLETED', updatedAt: later(5_000) });
    expect(settle(settled, 'payment')).toBe(settled);
  });

  it('is due again when there was no answer, and not younger for it', () => {
    const dueAt = later(9_000);
    const end = { outcome: 'postpone', dueAt, paymentId: 'payment', now: later(5_000) } as const;
    expect(endPosting(posting, end)).toMatchObject({
      status: 'PENDING',
      updatedAt: PENDING.updatedAt,
      payment: { attempts: 1, dueAt },
    });
  });
});
