import { singleLineText, typedNumber } from './single-line-text.ts';

const read = (schema: ReturnType<typeof singleLineText>, text: string): unknown => {
  const { success, data, error } = schema.safeParse(text);
  return success ? data : error.issues.map(({ code }) => code);
};

describe('a text for people (§2.10)', () => {
  it.each([
    ['A\u030ase', 'Åse'],
    [' Åse ', ' Åse '],
    ['👩\u200d👧', '👩\u200d👧'],
    ['\u200b', ['custom']],
    ['a\u202eb', ['custom']],
    ['a\u200bb', ['custom']],
    ['a\nb', ['invalid_format']],
    ['a'.repeat(11), ['too_big']],
    [`a${'\u0301'.repeat(30_000)}`, ['too_big']],
  ])('%j is %j', (text, expected) => {
    expect(read(singleLineText(10), text)).toEqual(expected);
  });

  it('has its length without the blanks at its ends, where those do not count', () => {
    expect(read(singleLineText(3, { trimmed: true }), ' Åse ')).toBe('Åse');
  });
});

describe('a pasted number (§2.10)', () => {
  it.each(['0040\u202f0440116243', '\u202a00400440116243\u202c', '0040\t0440116243', 'x'])(
    'leaves %j to the rules of the number',
    (text) => {
      expect(read(typedNumber(40), text)).toBe(text);
    },
  );

  it.each(['', ' ', '\u200b', '1\n2', '1\u00002', '1\ud83d'])('refuses %j', (text) => {
    expect(typedNumber(40).safeParse(text).success).toBe(false);
  });
});
