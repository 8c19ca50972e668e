import {
  type Consent,
  type ConsentRequest,
  isRepetition,
  isWithinReach,
  retainedSince,
} from './consent.model.ts';

const NOW = new Date('2026-11-22T10:00:00.000Z');
const later = (milliseconds: number): Date => new Date(NOW.getTime() + milliseconds);
const DAYS_180 = 180 * 24 * 60 * 60_000;

describe('how long a consent is given for (§5.9)', () => {
  it.each([
    [0, false],
    [1, true],
    [DAYS_180 + 60_000, true],
    [DAYS_180 + 60_001, false],
    [Number.NaN, false],
  ])('%d ms ahead: %s', (ahead, fine) => {
    expect(isWithinReach(later(ahead), NOW)).toBe(fine);
  });

  it('is kept for 180 days after its end', () => {
    expect(retainedSince(NOW)).toEqual(new Date('2026-05-26T10:00:00.000Z'));
  });
});

describe('a repetition asks for the same consent (§5.9)', () => {
  const asked: ConsentRequest = {
    id: 'id',
    clientId: 'client',
    userId: 'user',
    accountIds: ['a', 'b'],
    roles: ['PSP_AI', 'PSP_PI'],
    validUntil: later(1_000),
  };
  const consent: Consent = {
    ...asked,
    accountIds: ['b', 'a'],
    roles: ['PSP_AI', 'PSP_PI'],
    grantedAt: NOW,
    revokedAt: undefined,
  };

  it.each<[string, Partial<Consent>, boolean]>([
    ['the same', {}, true],
    ['taken back since', { revokedAt: NOW }, true],
    ['of another client', { clientId: 'other' }, false],
    ['of another user', { userId: 'other' }, false],
    ['for less accounts', { accountIds: ['a'] }, false],
    ['for other accounts', { accountIds: ['a', 'c'] }, false],
    ['for less roles', { roles: ['PSP_AI'] }, false],
    ['for longer', { validUntil: later(1_001) }, false],
    ['without end', { validUntil: undefined }, false],
  ])('%s: %#', (_name, change, same) => {
    expect(isRepetition({ ...consent, ...change }, asked)).toBe(same);
  });
});
