import type { Trigger } from './trigger.ts';

/** A fault that a caller requests for one call of its own. */
export interface RequestTrigger extends Trigger {
  readonly kind: 'request';
  readonly values: { readonly 'X-Sandbox-Fault': string };
}

/** The values of the header X-Sandbox-Fault. */
export const REQUEST_TRIGGERS: readonly RequestTrigger[] = [
  {
    kind: 'request',
    name: 'request-rate-limited',
    values: { 'X-Sandbox-Fault': '429' },
    effect: 'The call is refused as one beyond the rate limit, with `Retry-After`.',
    errorCode: 'RATE_LIMITED',
  },
  {
    kind: 'request',
    name: 'request-unavailable',
    values: { 'X-Sandbox-Fault': '503' },
    effect: 'The call is refused as one that meets an outage, with `Retry-After`.',
    errorCode: 'UNAVAILABLE',
  },
  {
    kind: 'request',
    name: 'request-slow',
    values: { 'X-Sandbox-Fault': 'slow=3' },
    effect: 'The call is answered after so many seconds, from 1 to 10. `slow` alone waits 3 seconds.',
  },
];
