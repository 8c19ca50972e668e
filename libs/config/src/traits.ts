import { z } from 'zod';
import type { LiveValue } from './live.ts';

/** Variables and their texts, secrets from files included. */
export type Given = Readonly<Record<string, string | undefined>>;

interface Traits {
  /** The value may come from the file that `<VARIABLE>_FILE` names. */
  secret?: boolean;
  /** The value is a `LiveValue`: its file is read again. */
  live?: boolean;
  /** What is wrong with several variables together, `VARIABLE: what is wrong` each. */
  together?: (given: Given) => readonly string[];
}

const traits = z.registry<Traits>();

/** Marks a variable as secret: `<VARIABLE>_FILE` may name a file with its value instead. */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  const marked = schema.clone();
  traits.add(marked, { secret: true });
  return marked;
}

/** A secret whose file is read again at each use, so that it can be rotated under a running process. */
export function liveSecret<T>(schema: z.ZodType<T, string>) {
  const marked = schema.transform(
    (value): LiveValue<T> =>
      () =>
        value,
  );
  traits.add(marked, { secret: true, live: true });
  return marked;
}

/** Adds what must hold between this variable and others; it is checked wherever the variable is read. */
export function together<Schema extends z.ZodType>(
  schema: Schema,
  check: (given: Given) => readonly string[],
): Schema {
  const marked = schema.clone();
  traits.add(marked, { ...traits.get(schema), together: check });
  return marked;
}

/** The variables of the shape that may come from files. */
export function secretsOf(shape: z.core.$ZodShape): string[] {
  return Object.keys(shape).filter((name) => traitsOf(shape[name]!).secret);
}

/** What was said of the schema, or of the one that it makes optional. */
export function traitsOf(schema: z.core.$ZodType): Traits {
  const own = traits.get(schema as z.ZodType);
  if (own !== undefined) return own;
  const inner = (schema._zod.def as { innerType?: z.core.$ZodType }).innerType;
  return inner === undefined ? {} : traitsOf(inner);
}
