import { type ApiError, defineTexts, detailToWire, fault, rule } from '@kontoport/errors';
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
  const faultsOf = (value: unknown, given: z.ZodType = schema): unknown =>
    refusalOf(given, value).details.map((detail) => detailToWire(detail, 'en'));

  it('distinguishes a missing field, a wrong type and an unknown field', () => {
    expect(faultsOf({ name: 1, more: true })).toEqual([
      { path: 'name', message: 'must be a string' },
      { path: 'roles', message: 'is missing' },
      { path: 'more', message: 'is unknown' },
    ]);
  });

  it.each<[string, z.ZodType, unknown, string]>([
    ['type', z.int(), 'x', 'must be a number'],
    ['whole number', z.int(), 1.5, 'must be a whole number'],
    ['value', z.enum(['a', 'b']), 'c', 'must be one of: a, b'],
    ['one value', z.literal('a'), 'c', 'must be a'],
    ['emptiness', z.string().min(1), '', 'must not be empty'],
    ['length', z.string().max(2), 'abc', 'must have at most 2 characters'],
    ['number of elements', z.array(z.int()).min(2), [1], 'must have at least 2 elements'],
    ['bound', z.number().max(9), 10, 'must be at most 9'],
    ['open bound', z.number().gt(9), 9, 'must be more than 9'],
    ['UUID', z.uuid(), 'x', 'must be a UUID'],
    ['UUID of any version', uuid, 'x', 'must be a UUID'],
    ['blank line', singleLineText(9), '  ', 'is blank'],
    ['line with a break', singleLineText(9), 'a\nb', 'has control characters'],
    ['line with half a character', singleLineText(9), '\ud800', 'has control characters'],
    ['pattern', z.string().regex(/^a$/), 'x', 'does not have the specified format'],
    ['union', z.union([z.int(), z.boolean()]), 'x', 'has none of the allowed shapes'],
  ])('describes a wrong %s with our text', (_what, given, value, message) => {
    expect(faultsOf({ part: value }, z.strictObject({ part: given }))).toEqual([{ path: 'part', message }]);
  });

  it('uses the texts that a schema names, constant or with values of the request', () => {
    const TEXTS = defineTexts({ digits: 'must be digits', sum: 'is {sum} too much' });
    const shape = z.strictObject({
      code: z.string().regex(/^\d+$/, rule(TEXTS('digits'))),
      sum: z.int().superRefine((sum, context) => {
        context.addIssue({ code: 'custom', ...fault(TEXTS('sum', { sum })) });
      }),
    });
    expect(faultsOf({ code: 'x', sum: 7 }, shape)).toEqual([
      { path: 'code', message: 'must be digits' },
      { path: 'sum', message: 'is 7 too much' },
    ]);
    expect(refusalOf(shape, { code: 'x', sum: 7 }).message).toBe(
      'The body is not as specified: `code` must be digits.',
    );
  });

  it('names a fault of the whole body', () => {
    expect(refusalOf(schema, []).message).toBe('The body is not as specified: it must be an object.');
  });

  it('never repeats a value', () => {
    expect(JSON.stringify(faultsOf({ name: { secret: 'hush' }, roles: ['x'] }))).not.toContain('hush');
  });
});
