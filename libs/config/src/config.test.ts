import { duration, flag, key32, keys32, list } from './config.ts';

describe('the values of variables', () => {
  it.each([
    ['250ms', 250],
    ['3s', 3_000],
    ['5min', 300_000],
    ['24h', 86_400_000],
  ])('reads the duration %s', (text, milliseconds) => {
    expect(duration.parse(text)).toBe(milliseconds);
  });

  it.each(['3', 's', '1.5s', '-1s', '1 s', '1d'])('refuses the duration %j', (text) => {
    expect(duration.safeParse(text).success).toBe(false);
  });

  it('reads flags, lists and keys strictly', () => {
    expect(flag.parse('true')).toBe(true);
    expect(flag.safeParse('yes').success).toBe(false);
    expect(list.parse('a, b,,c')).toEqual(['a', 'b', 'c']);
    expect(list.safeParse(' , ').success).toBe(false);
    expect(key32.parse(Buffer.alloc(32, 7).toString('base64url'))).toEqual(Buffer.alloc(32, 7));
    expect(key32.safeParse(Buffer.alloc(31).toString('base64url')).success).toBe(false);
  });

  describe('a list of keys', () => {
    const keys = Array.from({ length: 6 }, (_, at) => Buffer.alloc(32, at + 1));
    const text = (count: number): string =>
      keys
        .slice(0, count)
        .map((key) => key.toString('base64url'))
        .join();
    const faultsOf = (given: string): string[] =>
      (keys32.safeParse(given).error?.issues ?? []).map(({ message }) => message);
    const MALFORMED = 'base64url of 32 bytes, or up to 5 of them, separated by commas';

    it('has one or up to five, in their order, blanks trimmed', () => {
      expect(keys32.parse(text(1))).toEqual(keys.slice(0, 1));
      expect(keys32.parse(text(5).replaceAll(',', ' , '))).toEqual(keys.slice(0, 5));
    });

    it.each([
      ['six', text(6)],
      ['none', ''],
      ['one that is no key', `${text(1)},short`],
      ['one that is nothing', `${text(1)},`],
      ['another separator', text(2).replace(',', ';')],
    ])('is refused with %s', (_what, given) => {
      expect(faultsOf(given)).toEqual([MALFORMED]);
    });

    it('is refused with a key twice', () => {
      expect(faultsOf(`${text(2)},${text(1)}`)).toEqual(['no key twice']);
    });
  });
});
