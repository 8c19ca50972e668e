import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, ERROR_TEXTS } from '@kontoport/errors';
import { ConcurrencyLimiter } from '@kontoport/fairness';
import type { Authenticator } from '@kontoport/http';
import type { RateLimits } from './rate-limits.ts';
import type { Security } from './security.ts';
import { GATE_TEXTS } from './texts.ts';

const MAX_SLOW_SECONDS = 10;
const DEFAULT_SLOW_SECONDS = 3;

/** Requests that wait at a time: each holds a socket, but no connection of the database. */
const MAX_SLOW = { inAll: 256, ofOrganization: 16 };

const SLOW = /^slow(?:=(\d{1,2}))?$/;

/** Simulates the faults that authenticated callers request for calls of their own (§Sandbox). */
export function createRequestedFaults(
  limits: RateLimits,
): NonNullable<Authenticator<Security>['simulateFault']> {
  const slow = new ConcurrencyLimiter({
    max: MAX_SLOW.inAll,
    maxPerKey: MAX_SLOW.ofOrganization,
    refusal: () => new ApiError('RATE_LIMITED', GATE_TEXTS('fault-busy', { most: MAX_SLOW.ofOrganization })),
  });
  return async (fault, { now, headers, identity: { organization = '', clientId } }) => {
    if (fault === '503') throw new ApiError('UNAVAILABLE', ERROR_TEXTS('away'));
    if (fault === '429')
      throw limits.refusalOf({ organization, ...(clientId !== undefined && { clientId }) }, { now, headers });
    const match = SLOW.exec(fault);
    const seconds = Number(match?.[1] ?? DEFAULT_SLOW_SECONDS);
    if (match === null || seconds < 1 || seconds > MAX_SLOW_SECONDS)
      throw new ApiError('FORMAT_ERROR', GATE_TEXTS('fault-unknown', { most: MAX_SLOW_SECONDS }));
    await slow.run(organization, () => pause(seconds * 1_000, undefined, { ref: false }));
  };
}
