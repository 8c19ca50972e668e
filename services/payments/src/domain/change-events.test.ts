import { draftEvents, standingOrderEvents } from './change-events.ts';
import { type Draft, newDraft } from './draft.model.ts';
import { PAYMENT_TYPES } from './payment-types/payment-types.ts';
import { rejectionBecause } from './rejection.model.ts';
import type { StandingOrder } from './standing-order.model.ts';
import { TEXTS } from './texts.ts';

const NOW = new Date('2026-11-21T12:00:00.120Z');
const clientId = '0d9f6a35-2f0e-4d7f-8a3c-5d1f0e7b9c22';
const draftId = '7e9b2c64-1d8f-4a35-b0c6-3f5a8d1e4b88';
const paymentId = '5e2a9c41-6d3b-4f87-90ae-3b1c8d7f2e55';
const requestId = '3f8a1d52-7b4c-4e0d-9a61-2c5e8f7d6b33';
const userId = '9a5b3c7d-1e2f-4a60-8b9c-0d1e2f3a4b55';
const senderAccount = {
  accountId: 'account',
  userId,
  bban: '',
  ownerName: '',
  currency: 'DKK',
  supportsPayments: true,
  supportsTransfers: true,
};
const payment = { paymentId, requestId, approvedAt: NOW, dueAt: NOW, attempts: 0, traceparent: undefined };

const created: Draft = {
  ...newDraft(
    {
      clientId,
      organizationIdentifier: 'PSDDK-DFSA-1',
      draftId,
      paymentType: 'domestic-credit-transfer',
      name: '',
    },
    { rules: PAYMENT_TYPES['domestic-credit-transfer'], now: NOW },
  ),
  senderAccount,
};
const asked: Draft = { ...created, status: 'AWAITING_APPROVAL', payment };
const pending: Draft = { ...created, status: 'PENDING', payment };
const refused = (rule: 'rejected-by-user' | 'rejected-unauthenticated'): Draft => ({
  ...asked,
  status: 'REJECTED',
  rejection: rejectionBecause('STATUS_INVALID', TEXTS(rule)),
});

const recordsIn = (events: ReturnType<typeof draftEvents>) =>
  events
    .filter(({ type }) => type === 'Audit.RecordedV1')
    .map(({ value }) => value as { action: string; actor: string });
const briefly = (events: ReturnType<typeof draftEvents>): string[] =>
  recordsIn(events).map(({ action, actor }) => `${action} ${actor}`);

describe('audit records of payments', () => {
  it.each<[string, Draft | undefined, Draft, string[]]>([
    ['a new draft', undefined, created, []],
    ['a user who is asked', created, asked, []],
    ['a user who agrees', asked, pending, ['PAYMENT_APPROVED USER']],
    ['an approval that stands at once', created, pending, ['PAYMENT_APPROVED SERVICE']],
    ['a user who does not agree', asked, refused('rejected-by-user'), ['PAYMENT_DECLINED USER']],
    ['a bank that cannot authenticate', asked, refused('rejected-unauthenticated'), []],
    ['time that runs out', asked, { ...asked, status: 'EXPIRED' }, []],
    ['an attempt to book', pending, { ...pending, payment: { ...payment, attempts: 1 } }, []],
    ['a booking', pending, { ...pending, status: 'COMPLETED' }, []],
    ['a refusal of the bank', pending, { ...pending, status: 'REJECTED' }, []],
    ['a client that cancels', pending, created, ['PAYMENT_CANCELLED CLIENT']],
    ['a run of a standing order', undefined, { ...pending, kind: 'run' }, []],
    [
      'a run that is cancelled',
      { ...pending, kind: 'run' },
      { ...created, kind: 'run' },
      ['PAYMENT_CANCELLED CLIENT'],
    ],
  ])('for %s', (_what, before, after, told) => {
    expect(briefly(draftEvents(before, after))).toEqual(told);
  });

  it('names the payment alone where draft and basket have its id', () => {
    const single: Draft = {
      ...pending,
      kind: 'single',
      draftId: paymentId,
      payment: { ...payment, requestId: paymentId },
    };
    expect(recordsIn(draftEvents(undefined, single))).toEqual([
      expect.not.objectContaining({ relatedIds: expect.anything() as unknown }),
    ]);
  });
});

describe('audit records of standing orders', () => {
  const waiting = {
    clientId,
    organizationIdentifier: 'PSDDK-DFSA-1',
    paymentId,
    senderAccount,
    status: 'AWAITING_APPROVAL',
    createdAt: NOW,
    updatedAt: NOW,
  } as StandingOrder;
  const active: StandingOrder = { ...waiting, status: 'ACTIVE' };
  const ended: StandingOrder = { ...waiting, status: 'ENDED' };
  const rejected: StandingOrder = { ...waiting, status: 'REJECTED' };
  const deleted: StandingOrder = { ...ended, deletedAt: NOW };

  it.each<[string, StandingOrder | undefined, StandingOrder, string | undefined, string[]]>([
    ['one that waits', undefined, waiting, undefined, []],
    ['a user who agrees', waiting, active, undefined, ['STANDING_ORDER_APPROVED USER']],
    ['a user who agrees to one without runs', waiting, ended, undefined, ['STANDING_ORDER_APPROVED USER']],
    ['an approval that stands at once', undefined, active, undefined, ['STANDING_ORDER_APPROVED SERVICE']],
    ['a user who does not agree', waiting, rejected, 'access_denied', ['STANDING_ORDER_DECLINED USER']],
    ['a bank that cannot authenticate', waiting, rejected, 'failed', []],
    ['time that runs out', waiting, { ...waiting, status: 'EXPIRED' }, undefined, []],
    ['a run', active, { ...active, lastRun: { paymentId, executionDate: '2026-11-21' } }, undefined, []],
    ['the last run', active, ended, undefined, []],
    ['a client that deletes it', active, deleted, undefined, ['STANDING_ORDER_DELETED CLIENT']],
    [
      'a client that deletes it before its user has answered',
      waiting,
      deleted,
      undefined,
      ['STANDING_ORDER_DELETED CLIENT'],
    ],
    ['one that was deleted', deleted, { ...deleted, updatedAt: new Date() }, undefined, []],
  ])('for %s', (_what, before, after, refusal, told) => {
    expect(briefly(standingOrderEvents(before, after, refusal))).toEqual(told);
  });
});
