import { WrongSecrets } from './failed-auth-limiter.model.ts';

const START = Date.parse('2026-11-22T10:00:00Z');
const at = (ms: number): Date => new Date(START + ms);
const own = { clientId: 'c', certificateThumbprint: 'own', organization: 'o' };

/** Counts so many wrong secrets of the pair at a time. */
function wrong(secrets: WrongSecrets, times: number, attempt = own, ms = 0): void {
  for (let i = 0; i < times; i++) secrets.count(attempt, at(ms));
}

describe('wrong secrets of a client id over a certificate (§4.1)', () => {
  it('block the pair with the last that it may have in a minute, until the minute is over', () => {
    const secrets = new WrongSecrets({ perPair: 20, perOrganization: 100 });
    wrong(secrets, 19);
    expect(secrets.blockedSeconds(own, at(1))).toBeUndefined();
    wrong(secrets, 1, own, 30_000);
    expect(secrets.blockedSeconds(own, at(30_000))).toBe(30);
    expect(secrets.blockedSeconds(own, at(59_999))).toBe(1);
    expect(secrets.blockedSeconds(own, at(60_000))).toBeUndefined();
  });

  it('begin a new minute with the first one after it', () => {
    const secrets = new WrongSecrets({ perPair: 2, perOrganization: 100 });
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
    const secrets = new WrongSecrets({ perPair: 1, perOrganization: 100 });
    wrong(secrets, 5);
    expect(secrets.blockedSeconds(other, at(1))).toBeUndefined();
  });

  it('take bounded memory, and the oldest pair is forgotten first', () => {
    const secrets = new WrongSecrets({ perPair: 1, perOrganization: 100 });
    const pair = (i: number) => ({ clientId: `c${i}`, certificateThumbprint: 't', organization: `o${i}` });
    for (let i = 0; i < 10_000; i++) secrets.count(pair(i), at(i));
    expect(secrets.blockedSeconds(pair(0), at(10_000))).toBeDefined();
    secrets.count(pair(10_000), at(10_000));
    expect(secrets.size).toBe(20_000);
    expect(secrets.blockedSeconds(pair(0), at(10_000))).toBeUndefined();
    expect(secrets.blockedSeconds(pair(1), at(10_000))).toBeDefined();
    // After a minute nothing is left of them.
    secrets.count(own, at(10_000 + 60_000));
    expect(secrets.size).toBe(2);
  });
});

describe('wrong secrets over the certificates of an organization, whatever the client ids (§4.1)', () => {
  const any = (i: number, organization = 'o') => ({
    clientId: `c${i}`,
    certificateThumbprint: `t${i % 3}`,
    organization,
  });
  const limits = { perPair: 20, perOrganization: 5 };

  it('end with as many as there may be in a minute, until it is over', () => {
    const secrets = new WrongSecrets(limits);
    for (let i = 0; i < 4; i++) secrets.count(any(i), at(i));
    expect(secrets.crowdedSeconds(any(9), at(10))).toBeUndefined();
    secrets.count(any(4), at(20_000));
    expect(secrets.crowdedSeconds(any(9), at(20_000))).toBe(40);
    expect(secrets.crowdedSeconds(any(9), at(59_999))).toBe(1);
    expect(secrets.crowdedSeconds(any(9), at(60_000))).toBeUndefined();
  });

  it('block neither a pair of it nor another organization', () => {
    const secrets = new WrongSecrets(limits);
    for (let i = 0; i < 9; i++) secrets.count(any(i), at(0));
    expect(secrets.blockedSeconds(any(1), at(1))).toBeUndefined();
    expect(secrets.crowdedSeconds(any(1, 'p'), at(1))).toBeUndefined();
  });

  it('have those counted that are under way, until they are done, right or wrong', async () => {
    const secrets = new WrongSecrets(limits);
    for (let i = 0; i < 3; i++) secrets.count(any(i), at(0));
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const proofs = [
      secrets.during(any(7), () => first.promise),
      secrets.during(any(8), () => second.promise),
    ];
    expect(secrets.crowdedSeconds(any(9), at(1))).toBe(1);
    expect(secrets.crowdedSeconds(any(9, 'p'), at(1))).toBeUndefined();
    first.resolve();
    await proofs[0];
    expect(secrets.crowdedSeconds(any(9), at(1))).toBeUndefined();
    second.reject(new Error('away'));
    await expect(proofs[1]).rejects.toThrow('away');
    secrets.count(any(3), at(2));
    expect(secrets.crowdedSeconds(any(9), at(3))).toBeUndefined();
    secrets.count(any(3), at(2));
    expect(secrets.crowdedSeconds(any(9), at(3))).toBe(60);
    expect(secrets.size).toBe(5);
  });
});
