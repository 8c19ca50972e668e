import { afterAttempt, allowedInFlight, IN_FLIGHT, initialLimit } from './in-flight-limit.model.ts';

const fast = { startedAt: 0, endedAt: 20, overloaded: false };

describe('the in-flight limit of an endpoint (ADR-0033: additive increase, halving)', () => {
  it('grows by one for a full round of fast answers', () => {
    let state = initialLimit;
    for (let i = 0; i <= IN_FLIGHT.start; i++) state = afterAttempt(state, fast);
    expect(allowedInFlight(state)).toBe(IN_FLIGHT.start + 1);
  });

  it('ends at the most', () => {
    let state = initialLimit;
    for (let i = 0; i < 10_000; i++) state = afterAttempt(state, fast);
    expect(allowedInFlight(state)).toBe(IN_FLIGHT.most);
  });

  it('is halved by an overloaded answer and by a very slow one', () => {
    expect(afterAttempt(initialLimit, { startedAt: 0, endedAt: 20, overloaded: true }).limit).toBe(8);
    expect(afterAttempt(initialLimit, { startedAt: 0, endedAt: 5_001, overloaded: false }).limit).toBe(8);
  });

  it('is halved once for attempts in flight together', () => {
    const first = afterAttempt(initialLimit, { startedAt: 0, endedAt: 100, overloaded: true });
    const second = afterAttempt(first, { startedAt: 50, endedAt: 110, overloaded: true });
    const later = afterAttempt(second, { startedAt: 100, endedAt: 200, overloaded: true });
    expect([first.limit, second.limit, later.limit]).toEqual([8, 8, 4]);
  });

  it('never falls below one', () => {
    let state = initialLimit;
    for (let at = 0; at < 100; at++)
      state = afterAttempt(state, { startedAt: at, endedAt: at, overloaded: true });
    expect(allowedInFlight(state)).toBe(1);
  });

  it('does not change for answers that are neither fast nor very slow', () => {
    expect(afterAttempt(initialLimit, { startedAt: 0, endedAt: 2_000, overloaded: false })).toEqual(
      initialLimit,
    );
  });
});
