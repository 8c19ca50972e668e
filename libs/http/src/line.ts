import { rule } from '@kontoport/errors';
import { z } from 'zod';
import { SHAPE_TEXTS } from './shape-texts.ts';

/** One line of text: something to read, no control characters, nothing that is not Unicode. */
export function line(longest: number): z.ZodString {
  return z
    .string()
    .max(longest)
    .regex(/\S/u, rule(SHAPE_TEXTS('blank')))
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, rule(SHAPE_TEXTS('control-characters')));
}
