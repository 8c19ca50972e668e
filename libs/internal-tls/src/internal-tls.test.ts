import { lifeMs } from './internal-tls.ts';
import { identitiesOf } from './service-identity.ts';

describe('whom an internal certificate names', () => {
  it.each<[string, string[]]>([
    ['DNS:auth', ['auth']],
    ['DNS:door-auth.bank.svc, DNS:auth, IP Address:127.0.0.1', ['auth']],
    ['URI:spiffe://bank.example/ns/door/sa/payments', ['payments']],
    ['URI:spiffe://bank.example/edge', ['edge']],
    ['DNS:auth, DNS:payments', ['auth', 'payments']],
    ['DNS:auth.bank.svc', []],
    ['DNS:Auth', []],
    ['DNS:authx, email:auth, IP Address:10.0.0.1', []],
    ['URI:https://bank.example/auth', []],
    ['URI:spiffe://auth', []],
    ['URI:spiffe://bank.example/auth/other', []],
    ['URI:"spiffe://bank.example/x, DNS:auth, DNS:y"', []],
    ['', []],
  ])('%j is %j', (subjectAltName, names) => {
    expect([...identitiesOf({ subjectAltName })]).toEqual(names);
  });

  it('is nobody without alternative names', () => {
    expect([...identitiesOf({ subjectAltName: undefined })]).toEqual([]);
  });
});

describe('how long a connection may last', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const inMs = (ms: number): Date => new Date(now.getTime() + ms);
  const HOUR = 3_600_000;

  it.each<[string, number[], number, number]>([
    ['until the first certificate ends', [3 * HOUR, 2 * HOUR], 0.5, 2 * HOUR],
    ['no time when one is over', [-1, 2 * HOUR], 0, 0],
    ['12 hours at most', [100 * HOUR, 90 * HOUR], 0, 12 * HOUR],
    ['or up to a tenth less', [100 * HOUR, 90 * HOUR], 1, 10.8 * HOUR],
  ])('%s', (_what, ends, random, expected) => {
    expect(lifeMs({ ends: ends.map(inMs), now, random })).toBe(expected);
  });
});
