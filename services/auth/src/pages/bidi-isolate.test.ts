import { bidiIsolate } from './bidi-isolate.ts';

describe('a name within a sentence (§5.9)', () => {
  it.each([
    ['Hebrew', '\u05d0\u05d1'],
    ['Arabic', '\u0645\u0635\u0631\u0641'],
    ['both', 'Fjord \u05d0 ApS'],
    ['Arabic presentation forms', '\ufb50\ufefc'],
    ['Phoenician', '\u{10900}'],
    ['Adlam', '\u{1e900}'],
  ])('is isolated when it has letters of %s', (_what, name) => {
    expect(bidiIsolate(name)).toBe(`\u2068${name}\u2069`);
  });

  it.each(['Fjord Budget ApS', 'Æblegrød & Sønner', 'Ďáblice 12 €', '北海銀行', ''])(
    'is returned as it is when it runs from left to right: %s',
    (name) => {
      expect(bidiIsolate(name)).toBe(name);
    },
  );

  it.each('\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'.split(''))(
    'loses characters that change the direction of others',
    (control) => {
      expect(bidiIsolate(`a${control}b`)).toBe('\u2068ab\u2069');
      expect(bidiIsolate(`\u05d0\u061c${control}b`)).toBe('\u2068\u05d0b\u2069');
    },
  );
});
