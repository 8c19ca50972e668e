import {
  isRedirectUriOf,
  redirectDigests,
  redirectUriDigests,
  registeredExactly,
} from './redirect-digests.ts';

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

  it('is refused for a client without any, such as a deleted one', () => {
    expect(isRedirectUriOf({ redirectDigests: redirectDigests([]) }, 'https://tpp.test/callback')).toBe(
      false,
    );
  });
});

describe('authorization accepts exactly the registered redirect URIs (§4.1, RFC 9700 §2.1)', () => {
  const registered = [
    'https://tpp.test/callback',
    'http://localhost:8080/back?kept=1',
    'https://tpp.test:443/a/../b',
  ];
  const exact = { redirectUriDigests: redirectUriDigests(registered) };

  it.each(registered)('accepts %s', (uri) => {
    expect(registeredExactly(exact, uri)).toBe(true);
  });

  it.each([
    'https://tpp.test/callback/',
    'https://tpp.test/callback?',
    'https://tpp.test/callback?state=1',
    'https://tpp.test/callback#',
    'https://tpp.test:443/callback',
    'HTTPS://tpp.test/callback',
    'https://TPP.test/callback',
    'https://tpp.test/Callback',
    'https://tpp.test/callback ',
    'http://localhost:8080/back',
    'http://localhost:8080/back?kept=2',
    'http://127.0.0.1:8080/back?kept=1',
    'https://tpp.test/b',
    '',
  ])('refuses %j', (uri) => {
    expect(registeredExactly(exact, uri)).toBe(false);
  });

  it('does not match across two registered ones', () => {
    const shifted = { redirectUriDigests: exact.redirectUriDigests.subarray(8, 40) };
    expect(registered.map((uri) => registeredExactly(shifted, uri))).toEqual([false, false, false]);
  });

  it('is refused for a client without any, such as a deleted one', () => {
    expect(registeredExactly({ redirectUriDigests: redirectUriDigests([]) }, registered[0]!)).toBe(false);
  });
});
