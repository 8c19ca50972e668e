import { rule } from '@kontoport/errors';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';

/** One line of text: no control characters, nothing that is not Unicode. */
export function line(longest: number): z.ZodString {
  return z
    .string()
    .max(longest)
    .regex(/\S/u, rule(TEXTS('blank')))
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, rule(TEXTS('control-characters')));
}
