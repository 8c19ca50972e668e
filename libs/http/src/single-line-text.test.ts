import { singleLineText, typedNumber } from './single-line-text.ts';

const rulesOf = (schema: ReturnType<typeof singleLineText>, text: string): unknown[] => {
  const { success, data, error } = schema.safeParse(text);
  return success ? [data] : error.issues.map(({ code }) => code);
};

describe('a text for people (§2.10)', () => {
  it.each([
    ['a name', 'Åse Æbelø'],
    ['a zero-width non-joiner within a name', 'علی\u200cرضا'],
    ['an emoji that joiners make', '👩\u200d👩\u200d👧\u200d👦'],
    ['the flag of a region', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
    ['a right-to-left mark', 'שלום\u200f!'],
    ['one letter among blanks', '\u00a0\u3000x\u200b'],
    ['punctuation', '–'],
  ])('accepts %s', (_what, text) => {
    expect(rulesOf(singleLineText(40), text)).toEqual([text]);
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \u00a0\u3000'],
    ['a zero-width space', '\u200b'],
    ['joiners', '\u200c\u200d\u2060\ufeff'],
    ['a soft hyphen', '\u00ad'],
    ['a combining mark', '\u0301'],
    ['a variation selector', '\ufe0f'],
    ['Hangul fillers', '\u115f\u1160\u3164\uffa0'],
    ['a blank Braille pattern', '\u2800'],
    ['tags', '\u{e0020}\u{e007f}'],
    ['a line feed', 'a\nb'],
    ['a C1 control character', 'a\u0085b'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['a right-to-left override', 'a\u202eb'],
    ['an isolate', 'a\u2067b'],
    ['half a surrogate pair', 'a\ud83d'],
  ])('rejects %s', (_what, text) => {
    expect(singleLineText(40).safeParse(text).success).toBe(false);
  });

  it('is kept in normalization form C', () => {
    expect(rulesOf(singleLineText(5), 'A\u030ase')).toEqual(['Åse']);
  });
});

describe('a pasted number (§2.10)', () => {
  it.each(['0040\u202f0440116243', '\u202a00400440116243\u202c', '0040\t0440116243', 'x'])(
    'leaves %j to the rules of the number',
    (text) => {
      expect(rulesOf(typedNumber(40), text)).toEqual([text]);
    },
  );

  it.each(['', ' ', '\u200b', '1\n2', '1\u00002', '1\ud83d'])('refuses %j', (text) => {
    expect(typedNumber(40).safeParse(text).success).toBe(false);
  });
});
