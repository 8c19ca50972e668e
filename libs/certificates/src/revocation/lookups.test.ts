import { type Loaded, Lookups } from './lookups.ts';

const loaded = (value: string, change: Partial<Loaded<string>> = {}): Loaded<string> => ({
  value,
  until: 1_000_000,
  isFailure: false,
  weight: 1,
  ...change,
});

/** A load whose end the test decides. */
function controlled() {
  const { promise, resolve } = Promise.withResolvers<Loaded<string>>();
  let loads = 0;
  return { load: () => ((loads += 1), promise), finish: resolve, loads: () => loads };
}

const never = () => Promise.reject(new Error('not to be loaded'));

describe('look-ups of revocation', () => {
  it('share one load', async () => {
    const lookups = new Lookups<string>(10);
    const { load, finish, loads } = controlled();
    const found = [lookups.find('a', 0, load), lookups.find('a', 5, load)];
    finish(loaded('x'));
    expect((await Promise.all(found)).map(({ value }) => value)).toEqual(['x', 'x']);
    expect(loads()).toBe(1);
  });

  it('are kept until they end, and renewed from three quarters on', async () => {
    const lookups = new Lookups<string>(10);
    expect(await lookups.find('a', 0, async () => loaded('x', { until: 1000 }))).toEqual({
      value: 'x',
      until: 750,
    });
    expect(await lookups.find('a', 749, never)).toEqual({ value: 'x', until: 750 });
    const renewal = controlled();
    expect(await lookups.find('a', 750, renewal.load)).toEqual({ value: 'x', until: 1000 });
    renewal.finish(loaded('y', { until: 2000 }));
    expect(await lookups.find('a', 1000, renewal.load)).toMatchObject({ value: 'y' });
    expect(renewal.loads()).toBe(1);
  });

  it('do not take a kept value for new when its renewal fails after its end', async () => {
    const lookups = new Lookups<string>(10);
    await lookups.find('a', 0, async () => loaded('x', { until: 1000 }));
    const renewal = controlled();
    await lookups.find('a', 900, renewal.load);
    const late = lookups.find('a', 1001, async () => loaded('away', { until: 2000, isFailure: true }));
    renewal.finish(loaded('failed', { until: 2000, isFailure: true }));
    expect((await late).value).toBe('away');
  });

  it('try again after a failure, and after a load that threw', async () => {
    const lookups = new Lookups<string>(10);
    const failing = async () => loaded('away', { until: 60, isFailure: true });
    expect((await lookups.find('a', 0, failing)).value).toBe('away');
    expect((await lookups.find('a', 60, async () => loaded('x'))).value).toBe('x');
    await expect(lookups.find('b', 0, never)).rejects.toThrow('not to be loaded');
    expect((await lookups.find('b', 0, async () => loaded('y'))).value).toBe('y');
  });

  it('keep no more than their weight allows, the oldest go first', async () => {
    const lookups = new Lookups<string>(10);
    await lookups.find('a', 0, async () => loaded('a', { weight: 6 }));
    await lookups.find('b', 0, async () => loaded('b', { weight: 4 }));
    await lookups.find('c', 0, async () => loaded('c', { weight: 1 }));
    expect((await lookups.find('b', 0, never)).value).toBe('b');
    expect((await lookups.find('c', 0, never)).value).toBe('c');
    await expect(lookups.find('a', 0, never)).rejects.toThrow('not to be loaded');
  });
});
