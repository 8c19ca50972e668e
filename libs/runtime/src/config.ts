import { z } from 'zod';

/** All that is wrong with the environment of a process, one line per variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** `VARIABLE: what is wrong with it`, never its value. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(['configuration refused:', ...faults.map((fault) => `  ${fault}`)].join('\n'));
    this.faults = faults;
  }
}

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

/** The variables that every service reads. */
export const commonConfig = {
  /** Which adapters stand behind the service's ports. */
  ENVIRONMENT: z.enum(['sandbox', 'production']),
  HTTP_HOST: z.string().min(1).default('127.0.0.1'),
  HTTP_PORT: port,
  OPS_PORT: port,
  TRUST_ANCHORS: z.string().min(1),
  /**
   * Whether OCSP and CRLs are asked about client certificates: `off`; `soft-fail` refuses what is revoked; `hard-fail`
   * also what cannot be found out.
   */
  REVOCATION: z.enum(['off', 'soft-fail', 'hard-fail']).default('soft-fail'),
  /** `true`: OCSP responders and CRLs may be on this machine, for a sandbox. Never elsewhere. */
  REVOCATION_LOOPBACK: flag.default(false),
  EDGE_ADDRESSES: list,
  EDGE_SECRET: z.string().min(32),
  REGISTRATION_GRPC: z.string().min(1),
  AUTH_JWKS_URL: z.url(),
  TOKEN_ISSUER: z.url(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
};

/**
 * Reads the environment once. `shape` maps variable names to zod schemas.
 * @throws ConfigError naming every missing or malformed variable; values are never repeated, they may be secret.
 */
export function readConfig<Shape extends z.core.$ZodShape>(
  shape: Shape,
  env: Record<string, string | undefined>,
): z.output<z.ZodObject<Shape>> {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = z.object(shape).safeParse(given);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => {
    const name = issue.path.join('.');
    return name in given ? `${name}: ${issue.message}` : `${name}: missing`;
  });
  throw new ConfigError([...new Set(lines)]);
}
