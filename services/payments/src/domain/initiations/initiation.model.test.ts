import { digestOf, startFault } from './initiation.model.ts';

describe('what initiates a payment (§4.5)', () => {
  it.each([
    ['2026-11-21', 'is past: today is 2026-11-22'],
    ['2026-11-22', undefined],
    ['2027-11-22', undefined],
    ['2027-11-23', 'is too far ahead: 2027-11-22 is the last day'],
  ])('begins today, or up to 365 days ahead: %s', (date, fault) => {
    expect(startFault(date, '2026-11-22')?.in('en')).toBe(fault);
  });

  const body = { amount: '1', currency: 'DKK', message: undefined };
  const digest = digestOf('/payments/a', body);

  it('is the same call with its fields in another order', () => {
    expect(digestOf('/payments/a', { currency: 'DKK', amount: '1' })).toBe(digest);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['/payments/b', body],
    ['/payments/a', { ...body, amount: '2' }],
    ['/payments/a', { ...body, message: '' }],
    ['/payments/a', { amount: 'DKK', currency: '1' }],
    ['/payments/a', { amount: '1' }],
  ])('is another with another path or body: %s %j', (path, other) => {
    expect(digestOf(path, other)).not.toBe(digest);
  });
});
