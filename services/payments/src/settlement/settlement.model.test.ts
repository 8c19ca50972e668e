import { isRefusal, retryDelayMs } from './settlement.model.ts';

describe('a payment is posted again while the ledger gives no answer (§3.2)', () => {
  it.each([
    [1, 250],
    [2, 500],
    [5, 4_000],
    [7, 10_000],
    [1_000_000, 10_000],
  ])('plans attempt %i + 1 after %i ms, within a fifth', (attempts, planned) => {
    expect(retryDelayMs({ attempts, random: 0 })).toBe(planned * 0.8);
    expect(retryDelayMs({ attempts, random: 0.5 })).toBe(planned);
    expect(retryDelayMs({ attempts, random: 1 })).toBe(planned * 1.2);
  });

  it.each(['UNAVAILABLE', 'RATE_LIMITED', 'INTERNAL_ERROR'] as const)('takes %s for no answer', (code) => {
    expect(isRefusal(code)).toBe(false);
  });

  it.each([
    'FUNDS_INSUFFICIENT',
    'RESOURCE_UNKNOWN',
    'FORMAT_ERROR',
    'DUPLICATE_ID',
    'STATUS_INVALID',
  ] as const)('takes %s for a refusal', (code) => {
    expect(isRefusal(code)).toBe(true);
  });
});
