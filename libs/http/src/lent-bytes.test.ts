import { lendBytes } from './lent-bytes.ts';

/** The longest that is sent with its head, and the longest that is lent. */
const [SHORT, LONG] = [16 * 1024 - 1, Math.floor((256 * 1024) / 3)];

describe('bytes of a long text are lent', () => {
  it.each([
    [SHORT, false],
    [SHORT + 1, true],
    [LONG, true],
    [LONG + 1, false],
  ])('of %d characters: %p', (length, isLent) => {
    const lent = lendBytes('€'.repeat(length));
    expect(lent?.bytes.length).toBe(isLent ? length * 3 : undefined);
    lent?.giveBack();
  });

  it('as UTF-8, and none that was there before', () => {
    lendBytes('x'.repeat(LONG))!.giveBack();
    const text = `{"title":"Rødgrød med fløde 😀"}${' '.repeat(SHORT)}`;
    const { bytes, giveBack } = lendBytes(text)!;
    expect(new TextDecoder().decode(bytes)).toBe(text);
    giveBack();
  });

  it('to one at a time, and to the next one when they were given back', () => {
    const [first, second] = [lendBytes('a'.repeat(LONG))!, lendBytes('b'.repeat(LONG))!];
    expect(first.bytes.buffer).not.toBe(second.bytes.buffer);
    second.giveBack();
    const third = lendBytes('c'.repeat(LONG))!;
    expect(third.bytes.buffer).toBe(second.bytes.buffer);
    expect(new TextDecoder().decode(first.bytes)).toBe('a'.repeat(LONG));
    first.giveBack();
    third.giveBack();
  });

  it('and of a flood no more is kept than 32 buffers', () => {
    const buffersOf = (): Set<unknown> => {
      const lent = Array.from({ length: 40 }, () => lendBytes('x'.repeat(LONG))!);
      for (const { giveBack } of lent) giveBack();
      return new Set(lent.map(({ bytes }) => bytes.buffer));
    };
    const before = buffersOf();
    expect([...buffersOf()].filter((buffer) => before.has(buffer))).toHaveLength(32);
  });
});
