import type { IncomingHttpHeaders } from 'node:http';

const FIRST_WAIT_MS = 250;
const MAX_BACKOFF_MS = 10_000;
/** Spreads the clients that wait for the same Retry-After. */
const JITTER = 0.25;

/** Reads Retry-After, in seconds or as a date. */
export function retryAfterMs({ 'retry-after': value }: IncomingHttpHeaders, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/**
 * The wait before the next attempt: never shorter than Retry-After, otherwise an exponential backoff.
 * @param chance from 0 to 1
 */
export function waitMs(
  attempt: number,
  { asked, chance }: { asked: number | undefined; chance: number },
): number {
  const backoff = Math.min(MAX_BACKOFF_MS, FIRST_WAIT_MS * 2 ** attempt);
  return asked === undefined
    ? backoff * (0.5 + chance / 2)
    : asked + chance * Math.max(backoff, asked * JITTER);
}

/** POSTs that change nothing the second time, with the same X-Request-Id. */
const REPEATABLE_POST =
  /^\/(tpp|funds-confirmation|payments\/(drafts\/approve|standing-orders|domestic-credit-transfer|swedish-(bank|plus)-giro))$/;

/** Whether a call may be sent again. */
export function isRepeatable(method: string, path: string): boolean {
  return (
    method === 'get' ||
    method === 'put' ||
    method === 'delete' ||
    (method === 'post' && REPEATABLE_POST.test(path))
  );
}
