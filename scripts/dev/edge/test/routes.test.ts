import { elsewhere, upstreamFor } from '../src/routes.ts';

describe('the edge routes by address and path', () => {
  it.each([
    ['base', '/accounts', 'account-information'],
    ['base', '/aisp-pisp/accounts/1/transactions?limit=1', 'account-information'],
    ['base', '/v2/accounts/1/transactions', 'account-information'],
    ['base', '/funds-confirmation', 'account-information'],
    ['base', '/payments/drafts/approve', 'payments'],
    ['base', '/aisp-pisp/polling/1/status', 'payments'],
    ['base', '/openapi.json', 'account-information'],
    ['base', '/', 'account-information'],
    ['base', '/aisp-pisp', 'account-information'],
    ['base', '/errors/TOKEN_EXPIRED', 'account-information'],
    ['base', '/documentation', 'account-information'],
    ['base', '/v1/webhook-subscriptions/1', 'webhook-dispatcher'],
    ['registration', '/tpp/1', 'registration'],
    ['auth', '/oauth2/token', 'auth'],
    ['user', '/approvals/1', 'user'],
  ] as const)('%s %s → %s', (address, target, upstream) => {
    expect(upstreamFor(address, target)).toBe(upstream);
  });

  it.each(['//', '/accountsx', '/v2', '/tpp', '/aisp-pispaccounts', 'http://other/accounts'])(
    'has no service for %s at the base address',
    (target) => expect(upstreamFor('base', target)).toBeUndefined(),
  );

  it.each([
    ['/tpp/1?x=1', 'registration_url'],
    ['/oauth2/token', 'auth_url'],
    ['/.well-known/jwks.json', 'auth_url'],
    ['/approvals/1', 'user_url'],
    ['/aisp-pisp/accounts', 'base_url'],
    ['/nowhere', undefined],
    ['/', undefined],
  ])('knows that %s is answered at %s', (target, address) => expect(elsewhere(target)).toBe(address));
});
