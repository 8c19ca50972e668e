import type { SummarizedPayment } from '../domain/approval-summary.model.ts';
import type { Basket } from '../domain/basket.model.ts';
import { approvalToWire } from './approvals.wire.ts';

const NOW = new Date('2026-11-22T12:00:00Z');
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
  approvalRequest: { userId: 'user', expiresAt: NOW, dueAt: NOW, attempts: 0, traceparent: undefined },
};
const payment: SummarizedPayment = {
  paymentId: 'payment',
  paymentType: 'domestic-credit-transfer',
  sender: { accountId: 'account', bban: '123', ownerName: 'Freja' },
  payee: { name: 'Receiver', numberType: 'BBAN', number: '456' },
  reference: 'Rent',
  amount: '1.00',
  currency: 'DKK',
  warnings: [],
};
const schedule = { startDate: '2026-12-01', frequency: 'Monthly', executionRule: 'following' } as const;

describe('an approval as its page gets it (§4.4)', () => {
  it('says whether anybody is, or was, asked', () => {
    const { approvalRequest: _nobody, ...sandbox } = basket;
    expect(approvalToWire({ basket })).toMatchObject({ isAsked: true, expiresAt: NOW });
    expect(approvalToWire({ basket: { ...sandbox, status: 'APPROVED' } })).toMatchObject({
      isAsked: false,
      expiresAt: undefined,
    });
  });

  it.each([
    ['at once', {}, { executionDate: '', schedule: undefined }],
    ['on a day', { executionDate: '2026-12-24' }, { executionDate: '2026-12-24', schedule: undefined }],
    [
      'without end',
      { schedule },
      { executionDate: '', schedule: { startDate: '2026-12-01', endDate: '', frequency: 'Monthly' } },
    ],
    [
      'until a day',
      { schedule: { ...schedule, endDate: '2027-12-01' } },
      { schedule: { startDate: '2026-12-01', endDate: '2027-12-01', frequency: 'Monthly' } },
    ],
  ])('says when it is paid: %s', (_when, more, told) => {
    const summary = { clientId: 'client', payments: [{ ...payment, ...more }], sums: [] };
    const { content } = approvalToWire({ basket, content: { summary, digest: 'digest' } });
    expect(content?.payments).toMatchObject([told]);
  });
});
