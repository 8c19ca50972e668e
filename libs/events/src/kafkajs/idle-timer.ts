import { createRequire } from 'node:module';

/** Members of the request queue of kafkajs 2.2.4, which are not part of its interface. */
interface RequestQueue {
  pending: unknown[];
  throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
}

/**
 * Patches one fault of kafkajs 2.2.4, https://github.com/tulios/kafkajs/issues/1751: each idle connection sets a timer with a
 * negative delay again and again. Node 24 prints a warning, and the timers take 3 to 5 % of a core for each connection. No
 * option avoids it. The patched method sets a timer only while requests wait or the broker throttles. This is the only patch
 * of a dependency (ADR-0031); remove it with the first release that has a fix.
 */
export function patchIdleTimer(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as {
    prototype: RequestQueue & { scheduleCheckPendingRequests(this: RequestQueue): void };
  };
  prototype.scheduleCheckPendingRequests = function (): void {
    if (this.throttleCheckTimeoutId) return;
    const wait = this.throttledUntil - Date.now();
    if (wait <= 0 && this.pending.length === 0) return;
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      },
      wait > 0 ? wait : 10,
    );
  };
}
