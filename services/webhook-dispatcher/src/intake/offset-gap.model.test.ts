import { classifyOffsetGap, countRecords } from './offset-gap.model.ts';

const range = { topic: 't', partition: 3, from: 10n, to: 20n };

describe('a gap of offsets is available or expired (ADR-0032)', () => {
  it.each([
    ['before them', 0n, [[10n, 20n, 'available']]],
    ['at the first', 10n, [[10n, 20n, 'available']]],
    [
      'at the second',
      11n,
      [
        [10n, 11n, 'expired'],
        [11n, 20n, 'available'],
      ],
    ],
    [
      'at the last',
      19n,
      [
        [10n, 19n, 'expired'],
        [19n, 20n, 'available'],
      ],
    ],
    ['after the last', 20n, [[10n, 20n, 'expired']]],
    ['far beyond', 90n, [[10n, 20n, 'expired']]],
  ])('where the topic begins %s', (_where, logStart, parts) => {
    expect(classifyOffsetGap(range, logStart)).toEqual(
      parts.map(([from, to, gapStatus]) => ({ topic: 't', partition: 3, from, to, gapStatus })),
    );
  });

  it('counts its records', () => {
    expect(countRecords([])).toBe(0);
    expect(countRecords([range, { ...range, from: 30n, to: 31n }])).toBe(11);
  });
});
