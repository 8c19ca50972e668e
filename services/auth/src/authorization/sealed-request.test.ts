import { hashBrowserKey, openSealedRequest, sealRequest } from './sealed-request.ts';

const key = Buffer.alloc(32, 1);
const expiresAt = new Date('2026-01-01T00:00:00Z');
const request = {
  authorizationId: '01234567-89ab-4def-8123-456789abcdef',
  clientId: '11111111-1111-4111-8111-111111111111',
  isPushed: true,
  redirectUri: 'https://tpp.test/callback?a=b',
  codeChallenge: 'x'.repeat(43),
  scopes: ['PSP_AI' as const, 'PSP_PI' as const],
  consentDays: 90,
  expiresAt,
  state: 'a "state"',
  loginHint: 'private-dk',
  prompt: 'login' as const,
  language: 'da' as const,
  browserKeyHash: hashBrowserKey('browser'),
};
const open = (text: string, now = new Date(0)) => openSealedRequest(key, 'opened', { text, now });

describe('a sealed authorization request (§5.9)', () => {
  it('opens to the same request until it expires', () => {
    const text = sealRequest(key, 'opened', request);
    expect(open(text, new Date(expiresAt.getTime() - 1))).toEqual(request);
    expect(open(text, expiresAt)).toBeUndefined();
  });

  it('opens without the fields that it did not have', () => {
    const none = { state: undefined, loginHint: undefined, prompt: undefined, language: undefined };
    const bare = { ...request, ...none, isPushed: false, browserKeyHash: undefined };
    expect(open(sealRequest(key, 'opened', bare))).toEqual(bare);
  });

  it('does not open as another kind, under another key or id, or changed', () => {
    const text = sealRequest(key, 'opened', request);
    const bytes = Buffer.from(text, 'base64url');
    expect(openSealedRequest(key, 'pushed', { text, now: new Date(0) })).toBeUndefined();
    expect(openSealedRequest(Buffer.alloc(32, 2), 'opened', { text, now: new Date(0) })).toBeUndefined();
    for (const place of [0, 15, 16, 17, 40, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[place]! ^= 1;
      expect(open(changed.toString('base64url'))).toBeUndefined();
    }
    for (const other of ['', 'x', text.slice(0, 30), `${text}=`, `${text}A`, 'x'.repeat(10_000)])
      expect(open(other)).toBeUndefined();
  });

  it('fits into an address with the longest values', () => {
    const state = '"'.repeat(1_024);
    const text = sealRequest(key, 'opened', {
      ...request,
      state,
      redirectUri: `https://${'x'.repeat(2_000)}`,
    });
    expect(text.length).toBeLessThan(8_192);
    expect(open(text)?.state).toBe(state);
  });
});
