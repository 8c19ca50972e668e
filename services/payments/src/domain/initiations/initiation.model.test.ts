import { startFault } from './initiation.model.ts';

describe('a call that initiates a payment (§4.5)', () => {
  it.each([
    ['2026-11-21', 'is past: today is 2026-11-22'],
    ['2026-11-22', undefined],
    ['2027-11-22', undefined],
    ['2027-11-23', 'is too far ahead: 2027-11-22 is the last day'],
  ])('begins today, or up to 365 days ahead: %s', (date, fault) => {
    expect(startFault(date, '2026-11-22')?.in('en')).toBe(fault);
  });
});
