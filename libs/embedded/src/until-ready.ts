import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 50;
const PROBE_LIMIT_MS = 3_000;

/** The reason why a service is not ready; undefined if it is. */
async function reasonNotReady(url: string): Promise<string | undefined> {
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'does not answer' : 'starting';
  }
  const text = await response.text();
  if (response.ok) return undefined;
  try {
    const { waiting } = JSON.parse(text) as { waiting?: Record<string, string> };
    const parts = Object.entries(waiting ?? {}).map(([part, reason]) => `${part}: ${reason}`);
    if (parts.length > 0) return parts.join(', ');
  } catch {
    // An answer without reasons has a status.
  }
  return `answers ${response.status}`;
}

/**
 * Polls `/readyz` until the service is ready.
 * @param options.limitMs milliseconds
 * @param options.note called with the reason why it is not ready
 * @throws Error with the last reason after the limit; the reason of `signal`
 */
export async function untilReady(options: {
  name: string;
  opsPort: number;
  limitMs: number;
  signal?: AbortSignal;
  note?: (reason: string) => void;
}): Promise<void> {
  const { name, opsPort, limitMs, signal, note } = options;
  const deadline = performance.now() + limitMs;
  for (;;) {
    signal?.throwIfAborted();
    const reason = await reasonNotReady(`http://127.0.0.1:${opsPort}/readyz`);
    note?.(reason ?? '');
    if (reason === undefined) return;
    if (performance.now() > deadline)
      throw new Error(`${name} is not ready after ${limitMs / 1_000} s: ${reason}`);
    await pause(POLL_MS);
  }
}
