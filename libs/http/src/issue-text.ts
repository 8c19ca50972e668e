import { ruleOf, type Text } from '@kontoport/errors';
import type { z } from 'zod';
import { SHAPE_TEXTS } from './shape-texts.ts';

/** An issue of zod, with its input (`reportInput`) or without. */
export type Issue = z.core.$ZodIssue;

const MAX_VALUES = 20;

/**
 * The text of an issue, in every language: the part is missing, the rule that the schema names (`rule`, `fault`), or
 * our text for this kind of issue. It never repeats the input.
 */
export function issueText(issue: Issue): Text {
  if (issue.code === 'invalid_type' && issue.input === undefined) return SHAPE_TEXTS('missing');
  const named = ruleOf(issue.message) ?? (issue.code === 'custom' ? faultIn(issue.params) : undefined);
  if (named) return named;
  switch (issue.code) {
    case 'invalid_type':
      return SHAPE_TEXTS(typeRule(issue.expected));
    case 'invalid_value':
      return valueText(issue.values.slice(0, MAX_VALUES).map(String));
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return tooBig(issue);
    case 'invalid_format':
      return SHAPE_TEXTS(FORMATS.get(issue.format) ?? 'wrong-format');
    case 'not_multiple_of':
      return SHAPE_TEXTS('not-multiple', { divisor: issue.divisor });
    case 'unrecognized_keys':
      return SHAPE_TEXTS('unknown');
    case 'invalid_union':
      return SHAPE_TEXTS('no-shape');
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return SHAPE_TEXTS('invalid');
  }
}

function faultIn(params: Record<string, unknown> | undefined): Text | undefined {
  return params?.text as Text | undefined;
}

const TYPES = {
  string: 'not-string',
  number: 'not-number',
  int: 'not-integer',
  boolean: 'not-boolean',
  object: 'not-object',
  record: 'not-object',
  array: 'not-array',
  date: 'not-date',
} as const;

const FORMATS = new Map([
  ['uuid', 'not-uuid'],
  ['guid', 'not-uuid'],
  ['url', 'not-url'],
] as const) as ReadonlyMap<string, 'not-uuid' | 'not-url'>;

function typeRule(expected: string): (typeof TYPES)[keyof typeof TYPES] | 'wrong-type' {
  return Object.hasOwn(TYPES, expected) ? TYPES[expected as keyof typeof TYPES] : 'wrong-type';
}

function valueText(values: readonly string[]): Text {
  return values.length === 1
    ? SHAPE_TEXTS('not-value', { value: values[0]! })
    : SHAPE_TEXTS('none-of-values', { values: values.join(', ') });
}

function tooSmall({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): Text {
  const least = Number(minimum);
  if ((origin === 'string' || origin === 'array') && least === 1) return SHAPE_TEXTS('empty');
  if (origin === 'string') return SHAPE_TEXTS('too-few-characters', { least });
  if (origin === 'array' || origin === 'set') return SHAPE_TEXTS('too-few-elements', { least });
  return inclusive ? SHAPE_TEXTS('too-small', { least }) : SHAPE_TEXTS('not-above', { bound: least });
}

function tooBig({ origin, maximum, inclusive }: z.core.$ZodIssueTooBig): Text {
  const most = Number(maximum);
  if (origin === 'string') return SHAPE_TEXTS('too-many-characters', { most });
  if (origin === 'array' || origin === 'set') return SHAPE_TEXTS('too-many-elements', { most });
  return inclusive ? SHAPE_TEXTS('too-big', { most }) : SHAPE_TEXTS('not-below', { bound: most });
}
