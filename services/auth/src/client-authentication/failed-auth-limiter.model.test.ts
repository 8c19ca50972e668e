import { FailedAuthLimiter } from './failed-auth-limiter.model.ts';

const START = Date.parse('2026-11-22T10:00:00Z');
const at = (ms: number): Date => new Date(START + ms);
const own = { clientId: 'c', certificateThumbprint: 'own', organization: 'o' };

/** Counts failed attempts of the pair. */
function fail(limiter: FailedAuthLimiter, times: number, attempt = own, ms = 0): void {
  for (let i = 0; i < times; i++) limiter.count(attempt, at(ms));
}

describe('failed attempts for a client id over a certificate (§4.1)', () => {
  it('block the pair from the last allowed attempt until the minute is over', () => {
    const limiter = new FailedAuthLimiter({ perPair: 20, perOrganization: 100 });
    fail(limiter, 19);
    expect(limiter.blockedSeconds(own, at(1))).toBeUndefined();
    fail(limiter, 1, own, 30_000);
    expect(limiter.blockedSeconds(own, at(30_000))).toBe(30);
    expect(limiter.blockedSeconds(own, at(59_999))).toBe(1);
    expect(limiter.blockedSeconds(own, at(60_000))).toBeUndefined();
  });

  it('start a new minute with the first attempt after it', () => {
    const limiter = new FailedAuthLimiter({ perPair: 2, perOrganization: 100 });
    fail(limiter, 2);
    fail(limiter, 1, own, 60_000);
    expect(limiter.blockedSeconds(own, at(60_001))).toBeUndefined();
    fail(limiter, 1, own, 60_001);
    expect(limiter.blockedSeconds(own, at(60_001))).toBe(60);
  });

  it.each([
    ['another certificate', { ...own, certificateThumbprint: 'other' }],
    ['another client', { ...own, clientId: 'd' }],
  ])('do not block %s', (_what, other) => {
    const limiter = new FailedAuthLimiter({ perPair: 1, perOrganization: 100 });
    fail(limiter, 5);
    expect(limiter.blockedSeconds(other, at(1))).toBeUndefined();
  });

  it('take bounded memory: the oldest pair is evicted first', () => {
    const limiter = new FailedAuthLimiter({ perPair: 1, perOrganization: 100 });
    const pair = (i: number) => ({ clientId: `c${i}`, certificateThumbprint: 't', organization: `o${i}` });
    for (let i = 0; i < 10_000; i++) limiter.count(pair(i), at(i));
    expect(limiter.blockedSeconds(pair(0), at(10_000))).toBeDefined();
    limiter.count(pair(10_000), at(10_000));
    expect(limiter.size).toBe(20_000);
    expect(limiter.blockedSeconds(pair(0), at(10_000))).toBeUndefined();
    expect(limiter.blockedSeconds(pair(1), at(10_000))).toBeDefined();
    // After a minute nothing is left of them.
    limiter.count(own, at(10_000 + 60_000));
    expect(limiter.size).toBe(2);
  });
});

describe('failed attempts of an organization (§4.1)', () => {
  const any = (i: number, organization = 'o') => ({
    clientId: `c${i}`,
    certificateThumbprint: `t${i % 3}`,
    organization,
  });
  const limits = { perPair: 20, perOrganization: 5 };

  it('block the organization from the last allowed attempt until the minute is over', () => {
    const limiter = new FailedAuthLimiter(limits);
    for (let i = 0; i < 4; i++) limiter.count(any(i), at(i));
    expect(limiter.blockedOrganizationSeconds(any(9), at(10))).toBeUndefined();
    limiter.count(any(4), at(20_000));
    expect(limiter.blockedOrganizationSeconds(any(9), at(20_000))).toBe(40);
    expect(limiter.blockedOrganizationSeconds(any(9), at(59_999))).toBe(1);
    expect(limiter.blockedOrganizationSeconds(any(9), at(60_000))).toBeUndefined();
  });

  it('block neither a pair of it nor another organization', () => {
    const limiter = new FailedAuthLimiter(limits);
    for (let i = 0; i < 9; i++) limiter.count(any(i), at(0));
    expect(limiter.blockedSeconds(any(1), at(1))).toBeUndefined();
    expect(limiter.blockedOrganizationSeconds(any(1, 'p'), at(1))).toBeUndefined();
  });

  it('include attempts in flight, until they succeed or fail', async () => {
    const limiter = new FailedAuthLimiter(limits);
    for (let i = 0; i < 3; i++) limiter.count(any(i), at(0));
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const attempts = [limiter.run(any(7), () => first.promise), limiter.run(any(8), () => second.promise)];
    expect(limiter.blockedOrganizationSeconds(any(9), at(1))).toBe(1);
    expect(limiter.blockedOrganizationSeconds(any(9, 'p'), at(1))).toBeUndefined();
    first.resolve();
    await attempts[0];
    expect(limiter.blockedOrganizationSeconds(any(9), at(1))).toBeUndefined();
    second.reject(new Error('away'));
    await expect(attempts[1]).rejects.toThrow('away');
    limiter.count(any(3), at(2));
    expect(limiter.blockedOrganizationSeconds(any(9), at(3))).toBeUndefined();
    limiter.count(any(3), at(2));
    expect(limiter.blockedOrganizationSeconds(any(9), at(3))).toBe(60);
    expect(limiter.size).toBe(5);
  });
});
