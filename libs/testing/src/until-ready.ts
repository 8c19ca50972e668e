import { until } from '@kontoport/embedded/wait';

/** Waits until a service's ops server says that it is ready. @throws Error with its last reasons after 10 s */
export async function untilReady(opsPort: number): Promise<void> {
  let reasons = 'no answer';
  try {
    await until(
      async () => {
        const response = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
        reasons = await response.text();
        return response.ok;
      },
      { what: 'the service to be ready' },
    );
  } catch (error) {
    throw new Error(`the service is not ready: ${reasons}`, { cause: error });
  }
}
