import { answerUri } from './authorization-answer.model.ts';

const ISSUER = 'https://auth.bank.test';

/** The answer at this redirect URI. */
const at = (redirectUri: string, answer: Parameters<typeof answerUri>[2], state?: string): string =>
  answerUri(ISSUER, { redirectUri, state }, answer);

describe('the address of an answer (§5.9; RFC 6749 §4.1.2, RFC 9207)', () => {
  it.each([
    [
      'https://tpp.test/callback',
      'https://tpp.test/callback?code=c&state=s&iss=https%3A%2F%2Fauth.bank.test',
    ],
    [
      'https://tpp.test/?a=b%20c',
      'https://tpp.test/?a=b%20c&code=c&state=s&iss=https%3A%2F%2Fauth.bank.test',
    ],
    ['https://tpp.test', 'https://tpp.test?code=c&state=s&iss=https%3A%2F%2Fauth.bank.test'],
  ])('keeps the redirect URI %s as it was registered', (redirectUri, answer) => {
    expect(at(redirectUri, { code: 'c' }, 's')).toBe(answer);
  });

  it('returns error and description with state and iss, and omits absent values', () => {
    const told = (state?: string, description?: string) =>
      Object.fromEntries(
        new URL(at('https://tpp.test/', { error: 'access_denied', description }, state)).searchParams,
      );
    expect(told('a&b=c', 'No.')).toEqual({
      error: 'access_denied',
      error_description: 'No.',
      state: 'a&b=c',
      iss: ISSUER,
    });
    expect(told()).toEqual({ error: 'access_denied', iss: ISSUER });
  });

  it('describes an error in the characters that the RFC allows', () => {
    const description = 'a "fault" (RFC 5280 §6.1)';
    const { searchParams } = new URL(at('https://tpp.test/', { error: 'invalid_request', description }));
    expect(searchParams.get('error_description')).toBe("a 'fault' (RFC 5280 section 6.1)");
  });
});
