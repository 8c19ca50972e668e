import {
  beginAsking,
  endAsking,
  giveAnswer,
  lapseIfOverdue,
  postponeAsking,
  returnUrl,
} from './approval-request.model.ts';
import type { Decision } from './basket-state.model.ts';
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
const asking = { requestId: 'request', now: NOW, expiresAt: END, traceparent: undefined, senderAccount };
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
  asking: { userId: 'user', expiresAt: END, dueAt: END, attempts: 0, traceparent: undefined },
};
const waiting: Decision = { basket, drafts: [submit(created, { ...asking, paymentId: 'payment' })] };
const statusOf = ({ basket: { status }, drafts }: Decision) => [
  status,
  ...drafts.map((draft) => draft.status),
];
const toPayment = (draft: Draft): Draft => ({ ...draft, status: 'PENDING' });
const approved = {
  outcome: 'approved',
  approve: toPayment,
  activate: (order: StandingOrder): StandingOrder => ({ ...order, status: 'ACTIVE' }),
} as const;

describe('an approval lapses at its end, not before (§3.2)', () => {
  it('to the millisecond', () => {
    expect(lapseIfOverdue(waiting, later(999))).toBe(waiting);
    expect(statusOf(lapseIfOverdue(waiting, END))).toEqual(['EXPIRED', 'EXPIRED']);
  });

  it('also against a yes of the bank that comes too late', () => {
    expect(statusOf(endAsking(waiting, approved, later(999)))).toEqual(['APPROVED', 'PENDING']);
    expect(statusOf(endAsking(waiting, approved, END))).toEqual(['EXPIRED', 'EXPIRED']);
  });

  it('also against a user who answers too late', () => {
    const late = { decision: 'decline', digest: 'digest', language: 'en', at: END } as const;
    const found = giveAnswer(waiting, { answer: late, leaseMs: 100 });
    expect(statusOf(found)).toEqual(['EXPIRED', 'EXPIRED']);
    expect(found.basket.asking?.answer).toBeUndefined();
  });

  it('and leaves alone what has ended', () => {
    for (const end of [approved, { outcome: 'declined' }, { outcome: 'failed' }] as const) {
      const ended = endAsking(waiting, end, NOW);
      expect(lapseIfOverdue(ended, END)).toBe(ended);
      for (const other of [approved, { outcome: 'declined' }, { outcome: 'failed' }] as const)
        expect(endAsking(ended, other, NOW)).toBe(ended);
    }
  });

  it('with the drafts that wait for this basket alone', () => {
    const [own] = waiting.drafts;
    const foreign = submit(created, { ...asking, requestId: 'another', paymentId: 'other' });
    const others = [foreign, created, { ...own!, status: 'PENDING' as const }];
    const { drafts } = lapseIfOverdue({ basket, drafts: [own!, ...others] }, END);
    expect(drafts[0]!.status).toBe('EXPIRED');
    expect(drafts.slice(1)).toEqual(others);
  });
});

describe('a standing order ends with the approval that it waits for, and no other (§3.2)', () => {
  // Of a standing order its approval changes these two alone.
  const orderOf = (status: StandingOrder['status']) => ({ status, updatedAt: NOW }) as StandingOrder;
  const askedFor = (status: StandingOrder['status']): Decision => ({
    basket,
    drafts: [],
    standingOrder: orderOf(status),
  });
  const at = later(500);

  it.each([
    ['EXPIRED', lapseIfOverdue(askedFor('AWAITING_APPROVAL'), END), END],
    ['REJECTED', endAsking(askedFor('AWAITING_APPROVAL'), { outcome: 'declined' }, at), at],
    ['REJECTED', endAsking(askedFor('AWAITING_APPROVAL'), { outcome: 'failed' }, at), at],
  ] as const)('%s', (status, { basket: ended, standingOrder }, updatedAt) => {
    expect([ended.status, standingOrder]).toEqual([status, { status, updatedAt }]);
  });

  it('ACTIVE as it is made', () => {
    expect(endAsking(askedFor('AWAITING_APPROVAL'), approved, at).standingOrder?.status).toBe('ACTIVE');
  });

  it.each(['ENDED', 'ACTIVE', 'EXPIRED'] as const)('and one that is %s stays as it is', (status) => {
    const found = askedFor(status);
    const ends = [
      lapseIfOverdue(found, END),
      endAsking(found, approved, at),
      endAsking(found, { outcome: 'declined' }, at),
    ];
    for (const { standingOrder } of ends) expect(standingOrder).toBe(found.standingOrder);
  });
});

describe('why nothing was approved (§2.10)', () => {
  it.each([
    ['declined', 'access_denied', 'rejected-by-user'],
    ['failed', 'failed', 'rejected-unauthenticated'],
  ] as const)('%s', (outcome, error, rule) => {
    const ended = endAsking(waiting, { outcome }, NOW);
    expect(ended.basket.asking?.error).toBe(error);
    expect(ended.drafts[0]?.rejection).toEqual({ errorCode: 'STATUS_INVALID', rule, values: {} });
  });
});

describe('the first answer of a user stands', () => {
  const yes = { decision: 'approve', digest: 'digest', language: 'en', at: NOW } as const;
  const no = { decision: 'decline', digest: 'digest', language: 'en', at: NOW } as const;

  it('a yes is kept while the bank is asked', () => {
    const found = giveAnswer(waiting, { answer: yes, leaseMs: 100 });
    expect(statusOf(found)).toEqual(['AWAITING_APPROVAL', 'AWAITING_APPROVAL']);
    expect(found.basket.asking).toMatchObject({ answer: yes, attempts: 1, dueAt: later(100) });
    expect(giveAnswer(found, { answer: no, leaseMs: 100 })).toBe(found);
    expect(giveAnswer(found, { answer: yes, leaseMs: 100 })).toBe(found);
  });

  it('a no ends it', () => {
    const found = giveAnswer(waiting, { answer: no, leaseMs: 100 });
    expect(statusOf(found)).toEqual(['REJECTED', 'REJECTED']);
    expect(found.basket.asking).toMatchObject({ answer: no, error: 'access_denied' });
    expect(giveAnswer(found, { answer: yes, leaseMs: 100 })).toBe(found);
  });
});

describe('an approval is looked at again', () => {
  it.each([
    ['when the lease is over', NOW, 999, later(999)],
    ['at its end, when that comes before', NOW, 1_001, END],
    ['after the lease, when its end is over', END, 100, later(1_100)],
  ])('%s', (_when, now, leaseMs, dueAt) => {
    expect(beginAsking(basket, { now, leaseMs }).asking).toMatchObject({ attempts: 1, dueAt });
  });

  it.each([
    ['when it was put off to', later(999), later(999)],
    ['at its end, when that comes before', later(1_001), END],
  ])('%s', (_when, wanted, dueAt) => {
    expect(postponeAsking(waiting, wanted).basket.asking?.dueAt).toEqual(dueAt);
  });

  it('with the page of the bank, which it need not say again', () => {
    const known = postponeAsking(waiting, later(1), 'https://bank.test/1');
    expect(known.basket.asking?.approvalUrl).toBe('https://bank.test/1');
    expect(postponeAsking(known, later(2)).basket.asking?.approvalUrl).toBe('https://bank.test/1');
    expect(postponeAsking(known, later(2), 'https://bank.test/2').basket.asking?.approvalUrl).toBe(
      'https://bank.test/2',
    );
  });

  it('never once it has ended', () => {
    const ended = endAsking(waiting, { outcome: 'failed' }, NOW);
    expect(beginAsking(ended.basket, { now: NOW, leaseMs: 1 })).toBe(ended.basket);
    expect(postponeAsking(ended, END)).toBe(ended);
  });
});

describe('the user comes back to the redirectUrl, with an error where nothing was approved (§4.4)', () => {
  it.each([
    ['APPROVED', undefined, ''],
    ['AWAITING_APPROVAL', undefined, ''],
    ['REJECTED', 'access_denied', 'error=access_denied'],
    ['REJECTED', 'failed', 'error=failed'],
    ['EXPIRED', undefined, 'error=expired'],
  ] as const)('%s, %s: %s', (status, error, added) => {
    const ended = { ...basket, status, asking: { ...basket.asking!, ...(error && { error }) } };
    const at = (redirectUrl: string): string => returnUrl({ ...ended, redirectUrl });
    expect(at('https://tpp.test/back')).toBe(`https://tpp.test/back${added && `?${added}`}`);
    expect(at('https://tpp.test/back?a=%20b&error=x')).toBe(
      `https://tpp.test/back?a=%20b&error=x${added && `&${added}`}`,
    );
  });
});
