import { createRequire } from 'node:module';

interface RequestQueue {
  pending: unknown[];
  throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
}

/**
 * kafkajs 2.2.4 on Node 24: every idle connection arms a timer of 1 ms again and again (tulios/kafkajs#1751), with a
 * warning and some per cent of a core each. A timer is needed only while requests wait or the broker throttles.
 */
export function restIdleConnections(): void {
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
