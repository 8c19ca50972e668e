import { type Basket, basketEntries, requireRegisteredRedirect } from './basket.model.ts';

const REGISTERED = ['https://tpp.test/callback', 'http://localhost:8080/back?kept=1'];

describe('the redirectUrl matches a registered redirect URI by scheme, host, port and path (§4.4, §5.6)', () => {
  it.each([
    'https://tpp.test/callback',
    'https://tpp.test:443/callback?state=1',
    'HTTPS://TPP.test/callback',
    'http://localhost:8080/back',
  ])('accepts %s', (url) => {
    expect(() => requireRegisteredRedirect(url, REGISTERED)).not.toThrow();
  });

  it.each([
    'http://tpp.test/callback',
    'https://tpp.test:8443/callback',
    'https://tpp.test.evil.test/callback',
    'https://tpp.test/callback/',
    'https://tpp.test/Callback',
    'https://tpp.test/callback/../other',
    'https://tpp.test@evil.test/callback',
    'https://user@tpp.test/callback',
    'https://tpp.test/callback#fragment',
    'https://tpp.test/callback#',
    'http://localhost/back',
    '/callback',
    'javascript:alert(1)',
    'not a url',
  ])('refuses %s', (url) => {
    expect(() => requireRegisteredRedirect(url, REGISTERED)).toThrow(
      expect.objectContaining({
        code: 'FORMAT_ERROR',
        details: [{ path: 'redirectUrl', text: expect.objectContaining({ rule: 'redirect-unregistered' }) }],
      }),
    );
  });
});

describe('the status of a basket tells each of its drafts (§2.10)', () => {
  it('says EXPIRED of a draft whose time is over', () => {
    const basket: Basket = {
      clientId: 'client',
      requestId: 'request',
      draftIds: ['gone'],
      redirectUrl: 'https://tpp.test/callback',
      status: 'APPROVED',
      approvalId: 'approval',
      createdAt: new Date(),
    };
    expect(basketEntries(basket, [])).toEqual([{ draftId: 'gone', status: 'EXPIRED' }]);
  });
});
