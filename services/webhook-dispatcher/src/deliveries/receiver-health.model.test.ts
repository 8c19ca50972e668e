import { healthAfter, healthAtClaim, OUTAGE_AFTER, outageBackoff } from './receiver-health.model.ts';

const after = (outages: number, ...answers: boolean[]) => answers.reduce(healthAfter, healthAtClaim(outages));
const none = (count: number): boolean[] => Array.from({ length: count }, () => false);

describe('the health of a queue (ADR-0034)', () => {
  it('counts an outage at the fifth attempt in a row without an answer', () => {
    expect(OUTAGE_AFTER).toBe(5);
    expect(after(0, ...none(4))).toEqual({ outages: 0, unanswered: 4, isOut: false });
    expect(after(0, ...none(5))).toEqual({ outages: 1, unanswered: 5, isOut: true });
  });

  it('counts no outage while answers come in between', () => {
    expect(after(0, ...none(4), true, ...none(4)).isOut).toBe(false);
  });

  it('counts one outage for attempts in flight together', () => {
    expect(after(0, ...none(16)).outages).toBe(1);
  });

  it('counts another outage after one unanswered probe', () => {
    expect(after(3, false)).toMatchObject({ outages: 4, isOut: true });
  });

  it.each([[[true]], [[false, true]]])('ends with any answer: %j', (answers) => {
    expect(after(3, ...answers)).toEqual({ outages: 0, unanswered: 0, isOut: false });
  });

  it('counts no further than the column holds', () => {
    expect(after(100, false).outages).toBe(100);
  });
});

describe('the wait of a queue (ADR-0034: 1 s, doubled to 5 min, ±20 %)', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [9, 256_000],
    [10, 300_000],
    [100, 300_000],
  ])('after outage %d is about %d ms', (outages, wait) => {
    expect(outageBackoff(outages, 0)).toBe(wait * 0.8);
    expect(outageBackoff(outages, 0.5)).toBe(wait);
    expect(outageBackoff(outages, 1)).toBe(wait * 1.2);
  });
});
