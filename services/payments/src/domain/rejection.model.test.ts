import { rejectionOf, textOfRejection } from './rejection.model.ts';

const amount = { minorUnits: 60_000n, currency: 'SEK' };

describe('a rejection is stored as rule and values (§2.10)', () => {
  it.each([
    ['FUNDS_INSUFFICIENT', 'rejected-without-funds', { amount: '600.00', currency: 'SEK' }],
    ['RESOURCE_UNKNOWN', 'rejected-without-account', {}],
    ['DUPLICATE_ID', 'rejected', {}],
    ['FORMAT_ERROR', 'rejected', {}],
  ] as const)('%s', (errorCode, rule, values) => {
    const rejection = rejectionOf(errorCode, amount);
    expect(rejection).toEqual({ errorCode, rule, values });
    expect(structuredClone(rejection)).toEqual(rejection);
  });

  it('fills the values into the sentence', () => {
    const text = textOfRejection(rejectionOf('FUNDS_INSUFFICIENT', amount));
    expect(text.in('en')).toBe('The available amount of the account does not cover 600.00 SEK.');
  });

  it('has a general reason for an unknown rule', () => {
    const rejection = { errorCode: 'FUNDS_INSUFFICIENT', rule: 'of an older version', values: {} } as const;
    expect(textOfRejection(rejection).in('en')).toBe('The bank did not carry out the payment.');
  });
});
