import { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { envMetadataOf, type RawEnv } from './env-metadata.ts';
import { readSmallFile } from './read-file.ts';
import { reloadable } from './reloadable.ts';

/** `"3s"`, `"250ms"`, `"5min"`, `"24h"` → milliseconds. */
export const duration = z
  .string()
  .regex(/^\d+(ms|s|min|h)$/, 'a duration such as 250ms, 3s, 5min or 24h')
  .transform((text) => {
    const [, count, unit] = /^(\d+)(\w+)$/.exec(text)!;
    return Number(count) * { ms: 1, s: 1_000, min: 60_000, h: 3_600_000 }[unit as 'ms' | 's' | 'min' | 'h'];
  });

/** `"true"` or `"false"`. */
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** A TCP port; 0 lets the system choose. */
export const port = z.coerce.number().int().min(0).max(65_535);

/** A whole number above 0. */
export const count = z.coerce.number().int().positive();

/** Comma-separated, at least one element, blanks trimmed. */
export const list = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )
  .refine((items) => items.length > 0, 'at least one element, separated by commas');

/** base64url of exactly 32 bytes. */
export const key32 = z
  .string()
  .transform((text) => Buffer.from(text, 'base64url'))
  .refine((bytes) => bytes.length === 32, 'base64url of 32 bytes');

const MAX_KEYS = 5;

/** One or more `key32`, separated by commas: the first seals or hashes, all of them open or verify. */
export const keys32 = z
  .string()
  .transform((text) => text.split(',').map((key) => Buffer.from(key.trim(), 'base64url')))
  .refine(
    (keys) => keys.every((key) => key.length === 32) && keys.length <= MAX_KEYS,
    `base64url of 32 bytes, or up to ${MAX_KEYS} of them, separated by commas`,
  )
  .refine(
    (keys) => new Set(keys.map((key) => key.toString('base64url'))).size === keys.length,
    'no key twice',
  );

/** One or more shared secrets, separated by commas; a caller may present any of them. */
export const acceptedSecrets = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .refine(
    (secrets) => secrets.every(({ length }) => length >= 32) && secrets.length <= MAX_KEYS,
    `at least 32 characters, or up to ${MAX_KEYS} such secrets, separated by commas`,
  )
  .refine((secrets) => new Set(secrets).size === secrets.length, 'no secret twice');

/**
 * Reads the environment once. `shape` maps variable names to zod schemas; a secret may be given as the path of a file
 * instead, in `<VARIABLE>_FILE`.
 * @throws ConfigError naming every missing or malformed variable; values are never repeated, they may be secret.
 */
export function readConfig<Shape extends z.core.$ZodShape>(
  shape: Shape,
  env: RawEnv,
): z.output<z.ZodObject<Shape>> {
  const { given, files, faults } = readSecrets(shape, env);
  // A schema that is used once is not worth compiling.
  const result = z.object(shape).safeParse(given, { jitless: true });
  const lines = (result.error?.issues ?? []).flatMap((issue) => {
    const name = issue.path.join('.');
    if (name in given) return `${files.has(name) ? `${name}_FILE` : name}: ${issue.message}`;
    return files.has(name) ? [] : `${name}: missing`;
  });
  const contradictions = Object.values(shape).flatMap(
    (schema) => envMetadataOf(schema).crossFieldCheck?.(given) ?? [],
  );
  const all = new Set([...faults, ...lines, ...contradictions]);
  if (!result.success || all.size > 0) throw new ConfigError([...all]);
  const config: Record<string, unknown> = result.data;
  for (const [name, path] of files)
    if (envMetadataOf(shape[name]!).reloadable)
      config[name] = reloadable(() => readLive(shape[name]!, { name, path }));
  return result.data;
}

/** Reads the secrets that are given as files. @returns all variables with them, and the faults of the files */
function readSecrets(
  shape: z.core.$ZodShape,
  env: RawEnv,
): { given: Record<string, string>; files: Map<string, string>; faults: string[] } {
  const given = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
  const files = new Map<string, string>();
  const faults: string[] = [];
  for (const [name, schema] of Object.entries(shape)) {
    const path = given[`${name}_FILE`];
    if (path === undefined || !envMetadataOf(schema).secret) continue;
    files.set(name, path);
    if (name in given) {
      faults.push(`${name}_FILE: ${name} is given, too; one of them must go`);
      continue;
    }
    try {
      given[name] = readSecretFile(name, path);
    } catch (error) {
      faults.push((error as Error).message);
    }
  }
  return { given, files, faults };
}

/** Reads a secret without the newline that editors put at the end of a file. */
function readSecretFile(name: string, path: string): string {
  try {
    const text = readSmallFile(path).replace(/\r?\n$/, '');
    if (text === '') throw new Error('the file is empty');
    return text;
  } catch (error) {
    throw new Error(`${name}_FILE: ${(error as Error).message}`, { cause: error });
  }
}

function readLive(schema: z.core.$ZodType, { name, path }: { name: string; path: string }): unknown {
  const result = z.safeParse(schema, readSecretFile(name, path));
  if (!result.success) throw new Error(`${name}_FILE: ${result.error.issues[0]!.message}`);
  return (result.data as () => unknown)();
}
