import { normalized, readableFault, toReadable } from './readable-text.ts';

describe('a text that a person reads as one line (§2.10)', () => {
  it.each([
    ['a name', 'Åse Æbelø'],
    ['a zero-width non-joiner within a name', 'علی\u200cرضا'],
    ['an emoji that joiners make', '👩\u200d👩\u200d👧\u200d👦'],
    ['the flag of a region', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
    ['a conjunct of Devanagari', 'क\u094d\u200dष'],
    ['a right-to-left mark', 'שלום\u200f!'],
    ['one letter among blanks', 'x\u00a0\u3000y'],
    ['a heart of two code points', '❤\ufe0f'],
    ['an emoji with a skin tone and a joiner', '🕵🏻\u200d♂\ufe0f'],
    ['a keycap', '1\ufe0f\u20e3'],
    ['a variant of a Han character', '葛\u{e0100}飾'],
    ['punctuation', '–'],
  ])('may be %s', (_what, text) => {
    expect(readableFault(text)).toBeUndefined();
    expect(toReadable(text)).toBe(text);
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
  ])('is blank as %s', (_what, text) => {
    expect(readableFault(text)).toBe('blank');
    expect(toReadable(text)).toBe('');
  });

  it.each([
    ['a line feed', 'a\nb'],
    ['a C1 control character', 'a\u0085b'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['a right-to-left override', 'a\u202eb'],
    ['an isolate', 'a\u2067b'],
    ['half a surrogate pair', 'a\ud83db'],
    ['a zero-width space', 'a\u200bb'],
    ['a word joiner', 'a\u2060b'],
    ['a byte-order mark', 'a\ufeffb'],
    ['a soft hyphen', 'a\u00adb'],
    ['a tag without a flag', 'a\u{e0067}b'],
    ['a joiner between Latin letters', 'a\u200db'],
    ['a direction mark between Latin letters', 'a\u200eb'],
    ['a variation selector after a letter', 'a\ufe0fb'],
    ['a Hangul filler beside letters', 'a\u3164b'],
    ['an interlinear annotation', 'a\ufff9b'],
  ])('never has %s', (_what, text) => {
    expect(readableFault(text)).toBe('control-characters');
    expect(toReadable(text)).toBe('a\u{fffd}b');
  });

  it('is in normalization form C', () => {
    expect([normalized('A\u030ase'), toReadable('A\u030ase ')]).toEqual(['Åse', 'Åse']);
  });

  it('is not normalized when that would take seconds', () => {
    const marks = `a${'\u0301\u0316'.repeat(15_000)}`;
    expect(normalized(marks)).toBe(marks);
  });
});
