import {
  type ApiError,
  defineTexts,
  detailToWire,
  fault,
  type Language,
  LANGUAGES,
  rule,
} from '@kontoport/errors';
import { z } from 'zod';
import { checkShape } from './check-shape.ts';
import { singleLineText } from './single-line-text.ts';
import { uuid } from './uuid.ts';

describe('a body that is not as specified is refused with its faults (§7)', () => {
  const schema = z.strictObject({ name: z.string(), roles: z.array(z.string()) });
  const refusalOf = (given: z.ZodType, value: unknown): ApiError => {
    try {
      checkShape(given, value, 'body');
    } catch (error) {
      return error as ApiError;
    }
    throw new Error('not refused');
  };
  const faultsOf = (value: unknown, given: z.ZodType = schema, language: Language = 'en'): unknown =>
    refusalOf(given, value).details.map((detail) => detailToWire(detail, language));

  it('tells a missing field, a wrong type and an unknown field apart', () => {
    expect(faultsOf({ name: 1, more: true })).toEqual([
      { path: 'name', message: 'must be a string' },
      { path: 'roles', message: 'is missing' },
      { path: 'more', message: 'is unknown' },
    ]);
  });

  it.each<[string, z.ZodType, unknown, string, string]>([
    ['type', z.int(), 'x', 'must be a number', 'skal være et tal'],
    ['whole number', z.int(), 1.5, 'must be a whole number', 'skal være et heltal'],
    ['value', z.enum(['a', 'b']), 'c', 'must be one of: a, b', 'skal være en af: a, b'],
    ['one value', z.literal('a'), 'c', 'must be a', 'skal være a'],
    ['emptiness', z.string().min(1), '', 'must not be empty', 'må ikke være tom'],
    ['length', z.string().max(2), 'abc', 'must have at most 2 characters', 'må højst have 2 tegn'],
    [
      'number of elements',
      z.array(z.int()).min(2),
      [1],
      'must have at least 2 elements',
      'skal have mindst 2 elementer',
    ],
    ['bound', z.number().max(9), 10, 'must be at most 9', 'må højst være 9'],
    ['open bound', z.number().gt(9), 9, 'must be more than 9', 'skal være større end 9'],
    ['UUID', z.uuid(), 'x', 'must be a UUID', 'skal være et UUID'],
    ['UUID of any version', uuid, 'x', 'must be a UUID', 'skal være et UUID'],
    ['blank line', singleLineText(9), '  ', 'is blank', 'er tom'],
    ['line with a break', singleLineText(9), 'a\nb', 'has control characters', 'indeholder kontroltegn'],
    [
      'line with half a character',
      singleLineText(9),
      '\ud800',
      'has control characters',
      'indeholder kontroltegn',
    ],
    [
      'pattern',
      z.string().regex(/^a$/),
      'x',
      'does not have the specified format',
      'har ikke det specificerede format',
    ],
    [
      'union',
      z.union([z.int(), z.boolean()]),
      'x',
      'has none of the allowed shapes',
      'har ingen af de tilladte former',
    ],
  ])(
    'says a wrong %s in our words, in the language of the caller',
    (_what, given, value, english, danish) => {
      const shape = z.strictObject({ part: given });
      expect(faultsOf({ part: value }, shape)).toEqual([{ path: 'part', message: english }]);
      expect(faultsOf({ part: value }, shape, 'da')).toEqual([{ path: 'part', message: danish }]);
    },
  );

  it('says the rules of a schema in every language, constant or with values of the request', () => {
    const TEXTS = defineTexts({
      digits: { en: 'must be digits', da: 'skal være cifre', sv: 'ska vara siffror', nb: 'må være sifre' },
      sum: {
        en: 'is {sum} too much',
        da: 'er {sum} for meget',
        sv: 'är {sum} för mycket',
        nb: 'er {sum} for mye',
      },
    });
    const shape = z.strictObject({
      code: z.string().regex(/^\d+$/, rule(TEXTS('digits'))),
      sum: z.int().superRefine((sum, context) => {
        context.addIssue({ code: 'custom', ...fault(TEXTS('sum', { sum })) });
      }),
    });
    const refusal = refusalOf(shape, { code: 'x', sum: 7 });
    const inAll = LANGUAGES.map((language) =>
      refusal.details.map((detail) => detailToWire(detail, language).message),
    );
    expect(inAll).toEqual([
      ['must be digits', 'is 7 too much'],
      ['skal være cifre', 'er 7 for meget'],
      ['ska vara siffror', 'är 7 för mycket'],
      ['må være sifre', 'er 7 for mye'],
    ]);
    expect(refusal.message).toBe('The body is not as specified: `code` must be digits.');
    expect(refusal.text.in('sv')).toBe('Innehållet är inte som specificerat: `code` ska vara siffror.');
  });

  it('names a fault of the whole', () => {
    expect(refusalOf(schema, []).message).toBe('The body is not as specified: it must be an object.');
  });

  it('repeats nothing of the values', () => {
    expect(JSON.stringify(faultsOf({ name: { secret: 'hush' }, roles: ['x'] }))).not.toContain('hush');
  });
});
