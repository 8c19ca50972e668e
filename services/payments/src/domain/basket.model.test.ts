import { type Basket, basketEntries } from './basket.model.ts';

describe('the status of a basket lists its drafts (§2.10)', () => {
  it('has EXPIRED for a draft after its end', () => {
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
