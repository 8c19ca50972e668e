import { setTimeout as pause } from 'node:timers/promises';

let shutdown: (() => Promise<void>) | undefined;

/** Sets what `shutdownTelemetry` calls. */
export function onShutdown(given: () => Promise<void>): void {
  shutdown = given;
}

/**
 * Exports what has been recorded and waits for it, at most `limitMs`; to be called when nothing begins any more, before the process
 * exits. What cannot be exported is lost; never rejects.
 */
export async function shutdownTelemetry(limitMs = 1_000): Promise<void> {
  if (shutdown === undefined) return;
  await Promise.race([shutdown().catch(() => {}), pause(limitMs, undefined, { ref: false })]);
}
