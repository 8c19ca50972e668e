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
  /** Where the pages of the bank's users are served; HTTP_PORT is for TPPs and verifiers. */
  USER_PORT: port,
  /** Database `auth`. */
  ...databaseConfig,
  /** Approvals of payments, host:port. */
  PAYMENTS_GRPC: z.string().min(1),
  /** Consents of the bank's users: account-information, host:port. */
  ACCOUNTS_GRPC: z.string().min(1),
  /** Base of the pages of the bank's users, as browsers reach it. */
  USER_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  /** `fapi2`: the security profile of FAPI 2.0. */
  AUTH_PROFILE: z.enum(['plain', 'fapi2']).default('plain'),
  /** Encrypts the signing keys and what authorizations are sealed with at rest: the first seals, all of them open. */
  SECRETS_KEY: secret(keys32),
  /** How long an access token lives. */
  TOKEN_LIFETIME: duration
    .refine((ms) => ms >= 1_000 && ms <= LONGEST_TOKEN_LIFETIME_MS, 'between 1s and 1h')
    .default(LONGEST_TOKEN_LIFETIME_MS),
  /** Wrong secrets of a client id over a certificate in a minute (§4.1); each replica counts for itself. */
  WRONG_SECRETS_PER_MINUTE: count.prefault(20),
  /** The same over all certificates of an organization, for any client ids. */
  WRONG_SECRETS_PER_ORGANIZATION: count.prefault(200),
  /** How long a key signs before the next one takes over. */
  KEY_ROTATION: duration
    .refine(
      (ms) => ms >= PUBLISHED_BEFORE_SIGNING_MS,
      'at least 15min: a key is published that long before it signs',
    )
    .default(24 * 60 * 60_000),
};

export type Config = z.output<z.ZodObject<typeof config>>;
