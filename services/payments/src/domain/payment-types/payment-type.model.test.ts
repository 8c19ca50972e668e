import { TEXTS } from '../texts.ts';
import { finding, textOf } from './payment-type.model.ts';

describe('a fault of a draft is stored as rule and values (§2.10)', () => {
  it('is read with its values', () => {
    const stored = JSON.parse(
      JSON.stringify(
        finding('amount', TEXTS('too-many-decimals', { currency: 'DKK', decimals: 2, given: 3 })),
      ),
    ) as ReturnType<typeof finding>;
    expect(stored).toEqual({
      path: 'amount',
      rule: 'too-many-decimals',
      values: { currency: 'DKK', decimals: 2, given: 3 },
    });
    expect(textOf(stored).in('en')).toBe('DKK has 2 decimals, not 3');
  });

  it('is still a fault if its rule no longer exists', () => {
    expect(textOf({ path: 'amount', rule: 'of-last-year', values: {} }).in('en')).toBe('is not valid');
  });
});
