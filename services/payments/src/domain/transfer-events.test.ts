import { randomUUID } from 'node:crypto';
import { type Draft, newDraft } from './draft.model.ts';
import { PAYMENT_TYPES } from './payment-types/payment-types.ts';
import { approve, cancelPayment } from './payment.model.ts';
import { transferEvents } from './transfer-events.ts';

const NOW = new Date('2026-11-21T12:00:00.120Z');
const later = new Date('2026-11-21T12:00:03.271Z');
const rules = PAYMENT_TYPES['domestic-credit-transfer'];
const senderAccount = {
  accountId: 'account',
  userId: 'user',
  bban: '',
  ownerName: '',
  currency: 'DKK',
  supportsPayments: true,
  supportsTransfers: true,
};

const created: Draft = newDraft(
  {
    clientId: '0d9f6a35-2f0e-4d7f-8a3c-5d1f0e7b9c22',
    organizationIdentifier: 'PSDDK-DFSA-1',
    draftId: '7e9b2c64-1d8f-4a35-b0c6-3f5a8d1e4b88',
    paymentType: 'domestic-credit-transfer',
    name: 'Rent',
  },
  { rules, now: NOW },
);
const approved = (draft = created, now = NOW): Draft =>
  approve(draft, {
    rules,
    paymentId: randomUUID(),
    requestId: randomUUID(),
    settlementDelayMs: 0,
    traceparent: undefined,
    senderAccount,
    now,
  });
const told = (before: Draft | undefined, after: Draft) =>
  transferEvents(before, after).map(({ type, value }) => [type, (value as { status: string }).status]);

describe('Transfer.CreatedV1 and Transfer.StatusChangedV1 (§6)', () => {
  const pending = approved();
  const { paymentId } = pending.payment!;

  it('has an event of the cancellation, although the draft can be approved again', () => {
    const cancelled = cancelPayment(pending, later);
    expect(told(pending, cancelled)).toEqual([['Transfer.StatusChangedV1', 'CANCELLED']]);
    expect(transferEvents(pending, cancelled)[0]).toMatchObject({
      time: later.toISOString(),
      value: { paymentId },
    });
    const anew = approved(cancelled, later);
    expect(told(cancelled, anew)).toEqual([['Transfer.CreatedV1', 'PENDING']]);
    expect(transferEvents(cancelled, anew)[0]).toMatchObject({
      value: { paymentId: anew.payment!.paymentId },
    });
  });

  it.each(['single', 'run'] as const)('names no draft of a %s, whose id is that of its payment', (kind) => {
    const { draftId } = created;
    const waiting: Draft = { ...created, kind, status: 'AWAITING_APPROVAL', senderAccount };
    const [event, ...more] = transferEvents(undefined, waiting);
    expect(more).toEqual([]);
    expect(event).toMatchObject({ type: 'Transfer.CreatedV1', value: { paymentId: draftId } });
    expect(event!.value).toMatchObject({ status: 'AWAITING_APPROVAL' });
    expect(event!.value).not.toHaveProperty('draftId');
    const { requestId, approvedAt, dueAt } = pending.payment!;
    const payment = {
      paymentId: draftId,
      requestId,
      approvedAt,
      dueAt,
      attempts: 0,
      traceparent: undefined,
    };
    expect(told(waiting, { ...waiting, status: 'PENDING', payment })).toEqual([
      ['Transfer.StatusChangedV1', 'PENDING'],
    ]);
    expect(told(waiting, { ...waiting, status: 'EXPIRED' })).toEqual([
      ['Transfer.StatusChangedV1', 'EXPIRED'],
    ]);
    expect(told(undefined, { ...waiting, status: 'CREATED' })).toEqual([]);
  });
});
