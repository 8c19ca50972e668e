import { createLogger } from '@kontoport/runtime';
import { until } from '@kontoport/embedded/wait';
import { Ticker } from './ticker.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('a ticker', () => {
  it('runs at once, again when woken during a run, and never twice at a time', async () => {
    let runs = 0;
    let atOnce = 0;
    let most = 0;
    let release = (): void => {};
    const ticker = new Ticker({
      name: 'test',
      intervalMs: 3_600_000,
      logger,
      work: async () => {
        runs++;
        most = Math.max(most, ++atOnce);
        await new Promise<void>((resolve) => (release = resolve));
        atOnce--;
      },
    });
    expect(runs).toBe(1);
    ticker.wake();
    ticker.wake();
    release();
    await until(() => runs === 2, { what: 'the second run' });
    const closing = ticker.close();
    release();
    await closing;
    ticker.wake();
    expect({ runs, most, atOnce }).toEqual({ runs: 2, most: 1, atOnce: 0 });
  });

  it('goes on after a failure, at its interval', async () => {
    let runs = 0;
    const ticker = new Ticker({
      name: 'test',
      intervalMs: 5,
      logger,
      work: () => (++runs < 3 ? Promise.reject(new Error('away')) : Promise.resolve()),
    });
    await until(() => runs >= 4, { what: 'it works again' });
    await ticker.close();
    expect(runs).toBeGreaterThanOrEqual(4);
  });
});
