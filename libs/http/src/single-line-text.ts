import { rule } from '@kontoport/errors';
import { z } from 'zod';
import { SHAPE_TEXTS } from './shape-texts.ts';

/** No control character. Every language's regular expressions can read it in the OpenAPI document. */
const NO_CONTROL = new RegExp(String.raw`^[^\x00-\x1f\x7f-\x9f]*$`);

/** The same, but for the tab of a spreadsheet. */
const NO_CONTROL_BUT_TAB = new RegExp(String.raw`^[^\x00-\x08\x0a-\x1f\x7f-\x9f]*$`);

/**
 * Line separators, and characters that reorder the text around them (bidirectional embeddings, overrides and isolates).
 * Joiners, which emoji and some scripts need, are allowed.
 */
const REORDERING = /[\u2028-\u202e\u2066-\u2069]/;

/** A letter, digit, punctuation or symbol that is not drawn as a blank. */
const VISIBLE = /(?![\u115f\u1160\u2800\u3164\uffa0])[\p{L}\p{N}\p{P}\p{S}]/u;

/** A single-line text for people, in Unicode normalization form C, with at least one visible character (§2.10). */
export function singleLineText(longest: number): z.ZodString {
  return z
    .string()
    .normalize()
    .max(longest)
    .regex(NO_CONTROL, rule(SHAPE_TEXTS('control-characters')))
    .refine((text) => text.isWellFormed() && !REORDERING.test(text), rule(SHAPE_TEXTS('control-characters')))
    .refine((text) => !text.isWellFormed() || VISIBLE.test(text), rule(SHAPE_TEXTS('blank')))
    .meta({ minLength: 1 });
}

/** A number that a person typed or pasted, with digits in any groups (§2.10). The caller adds its own rules. */
export function typedNumber(longest: number): z.ZodString {
  return z
    .string()
    .max(longest)
    .regex(NO_CONTROL_BUT_TAB, rule(SHAPE_TEXTS('control-characters')))
    .refine((text) => text.isWellFormed(), rule(SHAPE_TEXTS('control-characters')))
    .refine((text) => !text.isWellFormed() || VISIBLE.test(text), rule(SHAPE_TEXTS('blank')))
    .meta({ minLength: 1 });
}
