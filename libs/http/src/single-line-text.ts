import { normalized, readableFault, rule } from '@kontoport/errors';
import { z } from 'zod';
import { SHAPE_TEXTS } from './shape-texts.ts';

/** No control character. Every language's regular expressions can read it in the OpenAPI document. */
const NO_CONTROL = new RegExp(String.raw`^[^\x00-\x1f\x7f-\x9f]*$`);

/** The same rule, which also allows the tab of a spreadsheet. */
const NO_CONTROL_BUT_TAB = new RegExp(String.raw`^[^\x00-\x08\x0a-\x1f\x7f-\x9f]*$`);

/**
 * A single-line text for people, in Unicode normalization form C (§2.10); `readableFault` is its rule.
 * @param longest 256 characters at most: much longer texts are not normalized
 */
export function singleLineText(longest: number, options: { trimmed?: boolean } = {}): z.ZodString {
  return z
    .string()
    .overwrite((text) => (options.trimmed ? normalized(text).trim() : normalized(text)))
    .max(longest)
    .regex(NO_CONTROL, rule(SHAPE_TEXTS('control-characters')))
    .refine(
      (text) => !NO_CONTROL.test(text) || readableFault(text) !== 'control-characters',
      rule(SHAPE_TEXTS('control-characters')),
    )
    .refine((text) => readableFault(text) !== 'blank', rule(SHAPE_TEXTS('blank')))
    .meta({ minLength: 1 });
}

/** A number that a person typed or pasted, with digits in any groups (§2.10). The caller adds its own rules. */
export function typedNumber(longest: number): z.ZodString {
  return z
    .string()
    .max(longest)
    .regex(NO_CONTROL_BUT_TAB, rule(SHAPE_TEXTS('control-characters')))
    .refine((text) => text.isWellFormed(), rule(SHAPE_TEXTS('control-characters')))
    .refine((text) => readableFault(text) !== 'blank', rule(SHAPE_TEXTS('blank')))
    .meta({ minLength: 1 });
}
