import { approveDrafts, type Basket, basketEntries, requireSameRequest } from './basket.model.ts';
import { newDraft } from './draft.model.ts';
import { domesticCreditTransferRules } from './payment-types/domestic-credit-transfer.model.ts';

describe('the status of a basket tells each of its drafts (§2.10)', () => {
  it('says EXPIRED of a draft whose time is over', () => {
    const basket: Basket = {
      clientId: 'client',
      organizationIdentifier: 'PSDDK-DFSA-1',
      requestId: 'request',
      draftIds: ['gone'],
      paymentIds: ['payment'],
      redirectUrl: 'https://tpp.test/callback',
      status: 'APPROVED',
      approvalId: 'approval',
      createdAt: new Date(),
    };
    expect(basketEntries(basket, [])).toEqual([{ draftId: 'gone', status: 'EXPIRED' }]);
  });
});

describe('a requestId is for one request (§4.4)', () => {
  const request = { requestId: 'request', draftIds: ['a', 'b'], redirectUrl: 'https://tpp.test/callback' };
  const basket = {
    ...request,
    clientId: 'client',
    organizationIdentifier: 'PSDDK-DFSA-1',
    paymentIds: ['p', 'q'],
    status: 'APPROVED',
    approvalId: 'approval',
    createdAt: new Date(),
  } satisfies Basket;

  it('which gets its basket again', () => {
    expect(requireSameRequest(basket, { ...request, draftIds: [...request.draftIds] })).toBe(basket);
  });

  it.each([
    ['another redirectUrl', basket, { redirectUrl: 'https://tpp.test/callback?' }],
    ['fewer drafts', basket, { draftIds: ['a'] }],
    ['more drafts', basket, { draftIds: ['a', 'b', 'c'] }],
    ['other drafts', basket, { draftIds: ['a', 'c'] }],
    ['another order', basket, { draftIds: ['b', 'a'] }],
    ['what was initiated without being staged', { ...basket, initiatedBy: { digest: 'd' } }, {}],
    ['what was made under another consent', undefined, {}],
  ])('and not for %s', (_what, found, change) => {
    expect(() => requireSameRequest(found, { ...request, ...change })).toThrow(
      expect.objectContaining({ code: 'IDEMPOTENCY_CONFLICT' }),
    );
  });
});

describe('a basket approves drafts that were staged, nothing else (§4.4)', () => {
  const now = new Date('2026-11-22T12:00:00Z');
  const account = {
    accountId: 'account',
    userId: 'user',
    bban: '',
    ownerName: '',
    currency: 'DKK',
    supportsPayments: true,
    supportsTransfers: true,
  };
  const given = {
    clientId: 'client',
    organizationIdentifier: 'PSDDK-DFSA-1',
    draftId: 'id',
    paymentType: 'domestic-credit-transfer',
    name: 'Rent',
  };
  const valid = {
    ...newDraft(given, { rules: domesticCreditTransferRules, now }),
    fields: { senderAccountId: 'account' },
    validationErrors: [],
  };
  const approving = (kind: 'draft' | 'single' | 'run') => () =>
    approveDrafts({
      draftIds: ['id'],
      drafts: new Map([['id', { ...valid, kind }]]),
      accounts: new Map([['/account', account]]),
      paymentIds: ['payment'],
      rulesOf: () => ({ ...domesticCreditTransferRules, validate: () => ({ errors: [], warnings: [] }) }),
      approval: {
        requestId: 'request',
        now,
        settlementDelayMs: 0,
        traceparent: undefined,
        status: 'APPROVED',
        expiresAt: now,
      },
    });

  it('takes a draft', () => {
    expect(approving('draft')()).toMatchObject([{ status: 'PENDING', payment: { paymentId: 'payment' } }]);
  });

  it.each(['single', 'run'] as const)('does not know a %s', (kind) => {
    expect(approving(kind)).toThrow(
      expect.objectContaining({
        details: [
          {
            path: 'draftIds.0',
            text: expect.objectContaining({ rule: 'draft-unknown' }),
          },
        ],
      }),
    );
  });
});
