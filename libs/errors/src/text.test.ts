import { defineTexts, LANGUAGES, rule, ruleOf, type Text, writtenText } from './text.ts';

const TEXTS = defineTexts({
  missing: { en: 'is missing', da: 'mangler', sv: 'saknas', nb: 'mangler' },
  between: {
    en: 'must be from {least} to {most}',
    da: 'skal være fra {least} til {most}',
    sv: 'ska vara från {least} till {most}',
    nb: 'må være fra {least} til {most}',
  },
  place: {
    en: 'Not as specified: {path} {fault}.',
    da: 'Ikke som specificeret: {path} {fault}.',
    sv: 'Inte som specificerat: {path} {fault}.',
    nb: 'Ikke som spesifisert: {path} {fault}.',
  },
});

const inAll = (text: Text | undefined): string[] => LANGUAGES.map((language) => text?.in(language) ?? '');

describe('a text (§7)', () => {
  it('is read in each language, with its values', () => {
    expect(inAll(TEXTS('missing'))).toEqual(['is missing', 'mangler', 'saknas', 'mangler']);
    expect(inAll(TEXTS('between', { least: 1, most: 250 }))).toEqual([
      'must be from 1 to 250',
      'skal være fra 1 til 250',
      'ska vara från 1 till 250',
      'må være fra 1 til 250',
    ]);
  });

  it('takes another text as a value, in the same language', () => {
    const text = TEXTS('place', { path: '`iban`', fault: TEXTS('missing') });
    expect(text.in('sv')).toBe('Inte som specificerat: `iban` saknas.');
    expect(text.values).toEqual({ path: '`iban`', fault: 'is missing' });
  });

  it('takes a value as it is, even one that looks like a placeholder or a pattern', () => {
    const text = TEXTS('place', { path: '{fault} $& $1', fault: 'x' });
    expect(text.in('en')).toBe('Not as specified: {fault} $& $1 x.');
  });

  it('is read again from what was stored of it', () => {
    const { rule: stored, values } = TEXTS('between', { least: 1, most: 2 });
    expect(TEXTS.read({ rule: stored, values })?.in('nb')).toBe('må være fra 1 til 2');
    expect(TEXTS.read({ rule: 'between', values: { least: 1 } })).toBeUndefined();
    expect(TEXTS.read({ rule: 'toString', values: {} })).toBeUndefined();
  });

  it('can come written from elsewhere', () => {
    expect(writtenText({ en: 'a', da: 'b', sv: 'c', nb: 'd' }).in('nb')).toBe('d');
  });

  it('is found again behind the English sentence that a schema has of it', () => {
    const english = rule(TEXTS('missing'));
    expect(english).toBe('is missing');
    expect(ruleOf(english)?.in('da')).toBe('mangler');
    expect(ruleOf('something else')).toBeUndefined();
  });
});

describe('what does not compile', () => {
  it('is a sentence without a value, with another value, or with another rule', () => {
    const written = (): Text[] => [
      // @ts-expect-error the values are lacking
      TEXTS('between'),
      // @ts-expect-error a value is lacking
      TEXTS('between', { least: 1 }),
      // @ts-expect-error there is no such rule
      TEXTS('unknown'),
    ];
    expect(written).toBeInstanceOf(Function);
  });

  it('is a sentence that lacks a language, or names other values in one', () => {
    const defined = (): unknown[] => [
      // @ts-expect-error Norwegian is lacking
      defineTexts({ a: { en: 'a', da: 'b', sv: 'c' } }),
      // @ts-expect-error Swedish names no value
      defineTexts({ a: { en: 'a {x}', da: 'b {x}', sv: 'c', nb: 'd {x}' } }),
    ];
    expect(defined).toBeInstanceOf(Function);
  });
});
