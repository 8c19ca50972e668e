import { jest } from '@jest/globals';
import { withCloseLimit } from './timeouts.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('what a broker is told while we leave', () => {
  const closing = () => new AbortController();

  it('is waited for as long as it takes while nobody leaves', async () => {
    const work = Promise.withResolvers<number>();
    const told = withCloseLimit(closing().signal, () => work.promise);
    await jest.advanceTimersByTimeAsync(60_000);
    work.resolve(7);
    expect(await told).toBe(7);
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each(['before', 'after'])('is given up after 3 s, when we begin to leave %s it', async (when) => {
    const leaver = closing();
    if (when === 'before') leaver.abort();
    let given: unknown;
    const told = withCloseLimit(leaver.signal, () => new Promise(() => {})).catch((error: unknown) => {
      given = error;
    });
    leaver.abort();
    await jest.advanceTimersByTimeAsync(2_999);
    expect(given).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1);
    await told;
    expect(given).toEqual(new Error('not answered while we left'));
  });

  it('fails as it fails', async () => {
    const work = withCloseLimit(closing().signal, () => Promise.reject(new Error('refused')));
    await expect(work).rejects.toThrow('refused');
    expect(jest.getTimerCount()).toBe(0);
  });
});
