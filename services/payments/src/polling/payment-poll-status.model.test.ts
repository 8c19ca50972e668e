import type { Draft } from '../domain/draft.model.ts';
import type { StandingOrder } from '../domain/standing-order.model.ts';
import { pollStatusOfOrder, pollStatusOfPayment } from './payment-poll-status.model.ts';

const REDIRECT = 'https://tpp.test/callback';
const DELETED = { status: 'AWAITING_APPROVAL', redirectUrl: '' };

const draft = (status: Draft['status'], { paymentId = 'payment', attempts = 0 } = {}): Draft =>
  ({ status, payment: { paymentId, attempts } }) as Draft;
const poll = (found: Draft | undefined) =>
  pollStatusOfPayment('payment', { draft: found, redirectUrl: REDIRECT });

describe('polling says how the approval of a payment stands (§3.3, §4.5)', () => {
  it.each([
    ['AWAITING_APPROVAL', 0, 'AWAITING_APPROVAL'],
    ['PENDING', 0, 'APPROVED'],
    ['PENDING', 3, 'APPROVED'],
    ['COMPLETED', 1, 'APPROVED'],
    ['REJECTED', 0, 'REJECTED'],
    ['REJECTED', 1, 'APPROVED'],
    ['EXPIRED', 0, 'EXPIRED'],
  ] as const)('of a draft %s that was submitted %i times: %s', (status, attempts, expected) => {
    expect(poll(draft(status, { attempts }))).toEqual({ status: expected, redirectUrl: REDIRECT });
  });

  it('of one that is gone, was cancelled, or became another payment since: nobody approved it', () => {
    expect(poll(undefined)).toEqual(DELETED);
    expect(poll({ status: 'CREATED' } as Draft)).toEqual(DELETED);
    expect(poll(draft('PENDING', { paymentId: 'another' }))).toEqual(DELETED);
  });

  it.each([
    ['AWAITING_APPROVAL', 'AWAITING_APPROVAL'],
    ['ACTIVE', 'APPROVED'],
    ['ENDED', 'APPROVED'],
    ['REJECTED', 'REJECTED'],
    ['EXPIRED', 'EXPIRED'],
  ] as const)('of a standing order %s: %s', (status, expected) => {
    const order = { status, redirectUrl: REDIRECT } as StandingOrder;
    expect(pollStatusOfOrder(order)).toEqual({ status: expected, redirectUrl: REDIRECT });
    expect(pollStatusOfOrder({ ...order, deletedAt: new Date() })).toEqual(DELETED);
  });
});
