import { z } from 'zod';
import type { Reloadable } from './reloadable.ts';

/** The environment before it is parsed: variables and their texts, with secrets read from their files. */
export type RawEnv = Readonly<Record<string, string | undefined>>;

/** The metadata of a variable besides its schema. */
interface EnvMetadata {
  /** The value may come from the file that `<VARIABLE>_FILE` names. */
  secret?: boolean;
  /** The value is a `Reloadable`: its file is read again at each use. */
  reloadable?: boolean;
  /** Returns the contradictions between this variable and others, each as `VARIABLE: fault`. */
  crossFieldCheck?: (env: RawEnv) => readonly string[];
}

const registry = z.registry<EnvMetadata>();

/** Marks a variable as secret: `<VARIABLE>_FILE` may name a file with its value instead. */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  const marked = schema.clone();
  registry.add(marked, { secret: true });
  return marked;
}

/** Marks a secret whose file is read at each use, so that it can be rotated in a running process. */
export function reloadableSecret<T>(schema: z.ZodType<T, string>) {
  const marked = schema.transform(
    (value): Reloadable<T> =>
      () =>
        value,
  );
  registry.add(marked, { secret: true, reloadable: true });
  return marked;
}

/** Adds a check of this variable against others. `readConfig` runs it wherever the variable is read. */
export function crossFieldCheck<Schema extends z.ZodType>(
  schema: Schema,
  check: (env: RawEnv) => readonly string[],
): Schema {
  const marked = schema.clone();
  registry.add(marked, { ...registry.get(schema), crossFieldCheck: check });
  return marked;
}

/** Lists the variables of a shape that may come from files. */
export function secretVariables(shape: z.core.$ZodShape): string[] {
  return Object.keys(shape).filter((name) => envMetadataOf(shape[name]!).secret);
}

/** Returns the metadata of a schema, or of the schema inside it, as of an optional one. */
export function envMetadataOf(schema: z.core.$ZodType): EnvMetadata {
  const own = registry.get(schema as z.ZodType);
  if (own !== undefined) return own;
  const inner = (schema._zod.def as { innerType?: z.core.$ZodType }).innerType;
  return inner === undefined ? {} : envMetadataOf(inner);
}
