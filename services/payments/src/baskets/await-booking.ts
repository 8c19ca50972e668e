import { setTimeout as pause } from 'node:timers/promises';
import type { Basket } from '../domain/basket.model.ts';
import type { BasketStore } from '../domain/ports/basket-store.ts';

const FIRST_PAUSE_MS = 20;

/**
 * Waits until the bank has answered for the payments that an approval books at once (§3.2). Payments without an
 * answer by then stay PENDING, and are settled later.
 * @param wait.draftIds of the drafts that are such payments
 * @param wait.limitMs milliseconds at most
 * @param wait.signal ends the waiting
 */
export async function awaitBooking(
  store: Pick<BasketStore, 'findDrafts'>,
  wait: { basket: Basket; draftIds: readonly string[]; limitMs: number; signal: AbortSignal },
): Promise<void> {
  const { basket, draftIds, limitMs, signal } = wait;
  const { clientId, requestId } = basket;
  const isOpen = async (): Promise<boolean> => {
    const drafts = await store.findDrafts({ clientId, draftIds, now: new Date() });
    return drafts.some(({ status, payment }) => status === 'PENDING' && payment?.requestId === requestId);
  };
  const until = performance.now() + limitMs;
  // The interval doubles: while the bank is unavailable, each waiting request queries the store only a few times.
  for (let pauseMs = FIRST_PAUSE_MS; await isOpen(); pauseMs *= 2) {
    const left = until - performance.now();
    if (left <= 0 || signal.aborted) return;
    await pause(Math.min(pauseMs, left), undefined, { signal }).catch(() => undefined);
  }
}
