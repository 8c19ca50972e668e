import { ApiError } from '@kontoport/errors';
import { isRefusal, outcomeOf, retryDelayMs } from './settlement.model.ts';
import { TEXTS } from './texts.ts';

describe('a payment is posted again after an error of the ledger (§3.2)', () => {
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

  it.each(['UNAVAILABLE', 'RATE_LIMITED', 'INTERNAL_ERROR'] as const)('treats %s as no answer', (code) => {
    expect(isRefusal(code)).toBe(false);
  });

  it.each(['FUNDS_INSUFFICIENT', 'RESOURCE_UNKNOWN', 'FORMAT_ERROR', 'DUPLICATE_ID'] as const)(
    'takes %s for a refusal',
    (code) => {
      expect(isRefusal(code)).toBe(true);
    },
  );

  const amount = { minorUnits: 12_550n, currency: 'DKK' };
  const now = new Date('2026-03-01T12:00:00Z');
  const attempt = { amount, attempts: 2, now, random: 0.5 };

  it('is cancelled when the bank has cancelled it', () => {
    expect(outcomeOf('cancelled', attempt)).toEqual({ outcome: 'cancel' });
  });

  it('is COMPLETED when the bank has booked it', () => {
    expect(outcomeOf('booked', attempt)).toEqual({ outcome: 'settle' });
  });

  it.each([
    ['is pending there', 'pending' as const],
    ['gives no answer', new ApiError('UNAVAILABLE', TEXTS('rejected'))],
  ])('is asked about again, 500 ms after the second attempt, while the bank %s', (_, answer) => {
    const dueAt = new Date('2026-03-01T12:00:00.500Z');
    expect(outcomeOf(answer, attempt)).toEqual({ outcome: 'postpone', dueAt });
  });

  it('is rejected, with the reason, when the bank refuses', () => {
    expect(outcomeOf(new ApiError('FUNDS_INSUFFICIENT', TEXTS('rejected')), attempt)).toEqual({
      outcome: 'reject',
      rejection: {
        errorCode: 'FUNDS_INSUFFICIENT',
        rule: 'rejected-without-funds',
        values: { amount: '125.50', currency: 'DKK' },
      },
    });
  });

  it('is rejected, and not cancelled, when the bank refuses for a reason of its own', () => {
    expect(outcomeOf(new ApiError('STATUS_INVALID', TEXTS('rejected')), attempt)).toEqual({
      outcome: 'reject',
      rejection: { errorCode: 'STATUS_INVALID', rule: 'rejected', values: {} },
    });
  });
});
