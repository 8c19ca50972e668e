import { WrongSecrets } from './wrong-secrets.model.ts';

const START = Date.parse('2026-11-22T10:00:00Z');
const at = (ms: number): Date => new Date(START + ms);
const own = { clientId: 'c', certificateThumbprint: 'own' };

/** Counts so many wrong secrets of the pair at a time. */
function wrong(secrets: WrongSecrets, times: number, attempt = own, ms = 0): void {
  for (let i = 0; i < times; i++) secrets.count(attempt, at(ms));
}

describe('wrong secrets of a client id over a certificate (§4.1)', () => {
  it('block the pair with the last that it may have in a minute, until the minute is over', () => {
    const secrets = new WrongSecrets(20);
    wrong(secrets, 19);
    expect(secrets.blockedSeconds(own, at(1))).toBeUndefined();
    wrong(secrets, 1, own, 30_000);
    expect(secrets.blockedSeconds(own, at(30_000))).toBe(30);
    expect(secrets.blockedSeconds(own, at(59_999))).toBe(1);
    expect(secrets.blockedSeconds(own, at(60_000))).toBeUndefined();
  });

  it('begin a new minute with the first one after it', () => {
    const secrets = new WrongSecrets(2);
    wrong(secrets, 2);
    wrong(secrets, 1, own, 60_000);
    expect(secrets.blockedSeconds(own, at(60_001))).toBeUndefined();
    wrong(secrets, 1, own, 60_001);
    expect(secrets.blockedSeconds(own, at(60_001))).toBe(60);
  });

  it.each([
    ['another certificate', { ...own, certificateThumbprint: 'other' }],
    ['another client', { ...own, clientId: 'd' }],
  ])('block nothing over %s', (_what, other) => {
    const secrets = new WrongSecrets(1);
    wrong(secrets, 5);
    expect(secrets.blockedSeconds(other, at(1))).toBeUndefined();
  });

  it('take bounded memory, and the oldest pair is forgotten first', () => {
    const secrets = new WrongSecrets(1);
    const pair = (i: number) => ({ clientId: `c${i}`, certificateThumbprint: 't' });
    for (let i = 0; i < 10_000; i++) secrets.count(pair(i), at(i));
    expect(secrets.blockedSeconds(pair(0), at(10_000))).toBeDefined();
    secrets.count(pair(10_000), at(10_000));
    expect(secrets.size).toBe(10_000);
    expect(secrets.blockedSeconds(pair(0), at(10_000))).toBeUndefined();
    expect(secrets.blockedSeconds(pair(1), at(10_000))).toBeDefined();
    // After a minute nothing is left of them.
    secrets.count(own, at(10_000 + 60_000));
    expect(secrets.size).toBe(1);
  });
});
