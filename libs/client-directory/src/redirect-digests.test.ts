import { isRedirectUriOf, redirectDigests } from './redirect-digests.ts';

const client = {
  redirectDigests: redirectDigests(['https://tpp.test/callback', 'http://localhost:8080/back?kept=1']),
};

describe('the redirectUrl matches a registered redirect URI by scheme, host, port and path (§4.4, §5.6)', () => {
  it.each([
    'https://tpp.test/callback',
    'https://tpp.test:443/callback?state=1',
    'HTTPS://TPP.test/callback',
    'http://localhost:8080/back',
  ])('accepts %s', (url) => {
    expect(isRedirectUriOf(client, url)).toBe(true);
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
    expect(isRedirectUriOf(client, url)).toBe(false);
  });

  it('is refused by a client that has none, as a deleted one', () => {
    expect(isRedirectUriOf({ redirectDigests: redirectDigests([]) }, 'https://tpp.test/callback')).toBe(
      false,
    );
  });
});
