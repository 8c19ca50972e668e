import { setTimeout as pause } from 'node:timers/promises';

let send: (() => Promise<void>) | undefined;

/** Says how `sendLastSpans` does it. */
export function sendLastSpansBy(given: () => Promise<void>): void {
  send = given;
}

/**
 * Sends the spans that have ended and waits for it, at most `limitMs`; to be called when nothing begins any more, before the process
 * exits. Where they cannot be sent they are lost; never rejects.
 */
export async function sendLastSpans(limitMs = 1_000): Promise<void> {
  if (send === undefined) return;
  const sent = new AbortController();
  const sending = send()
    .catch(() => {})
    .finally(() => sent.abort());
  await Promise.race([sending, pause(limitMs, undefined, { signal: sent.signal }).catch(() => {})]);
}
