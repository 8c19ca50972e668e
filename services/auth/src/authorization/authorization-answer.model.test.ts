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
});
