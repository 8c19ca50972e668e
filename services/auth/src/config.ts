import { count, duration, keys32, port, secret } from '@kontoport/config';
import { databaseConfig } from '@kontoport/database';
import { bankConfig } from '@kontoport/grpc';
import { commonConfig } from '@kontoport/service/common-config';
import { z } from 'zod';
import { LONGEST_TOKEN_LIFETIME_MS, PUBLISHED_BEFORE_SIGNING_MS } from './signing-keys/rotation.model.ts';

/** The environment of auth. */
export const config = {
  ...commonConfig,
  ...bankConfig,
  /** Port of the users' pages. */
  USER_PORT: port,
  /** Database `auth`. */
  ...databaseConfig,
  /** `host:port` of the gRPC server of payments. */
  PAYMENTS_GRPC: z.string().min(1),
  /** `host:port` of the gRPC server of account-information. */
  ACCOUNTS_GRPC: z.string().min(1),
  /** Base URL of the users' pages, as browsers reach it. */
  USER_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  /** `fapi2` enforces the FAPI 2.0 security profile. */
  AUTH_PROFILE: z.enum(['plain', 'fapi2']).default('plain'),
  /** Encryption keys at rest, base64url of 32 bytes, separated by commas: the first encrypts, all decrypt. */
  SECRETS_KEY: secret(keys32),
  /** Lifetime of an access token. */
  TOKEN_LIFETIME: duration
    .refine((ms) => ms >= 1_000 && ms <= LONGEST_TOKEN_LIFETIME_MS, 'between 1s and 1h')
    .prefault('1h'),
  /** Failed client authentications per minute for one client id and certificate (§4.1), per replica. */
  FAILED_AUTHENTICATIONS_PER_MINUTE: count.prefault(20),
  /** Failed client authentications per minute for all certificates of an organization, per replica. */
  FAILED_AUTHENTICATIONS_PER_ORGANIZATION: count.prefault(200),
  /** Time for which a signing key is used before the next one replaces it. */
  KEY_ROTATION: duration
    .refine(
      (ms) => ms >= PUBLISHED_BEFORE_SIGNING_MS,
      'at least 15min: a key is published that long before it signs',
    )
    .prefault('24h'),
};

export type Config = z.output<z.ZodObject<typeof config>>;
