import { until } from '@kontoport/embedded/wait';

/**
 * Repeats a request while the service refuses it because its copy of the client directory is stale: the lease of 5 s
 * lapses on a stalled machine, until the next heartbeat.
 */
export function withFreshDirectory<T extends { status: number; body: unknown }>(
  send: () => Promise<T>,
): Promise<T> {
  const attempt = async (): Promise<T | undefined> => {
    const answer = await send();
    const isStale =
      answer.status === 503 && JSON.stringify(answer.body).includes('Client access cannot be verified');
    return isStale ? undefined : answer;
  };
  return until(attempt, { what: 'a fresh client directory' }) as Promise<T>;
}
