import { count, duration, keys32, port, secret } from '@kontoport/config';
import { databaseConfig } from '@kontoport/database';
import { kafkaConfig } from '@kontoport/events';
import { commonConfig } from '@kontoport/service/common-config';
import { z } from 'zod';

const HOUR_MS = 3_600_000;

/** The environment of registration. */
export const config = {
  ...commonConfig,
  /** Port of the service's gRPC server. */
  GRPC_PORT: port,
  /** Registration's own database. */
  ...databaseConfig,
  /** Brokers for audit records. */
  ...kafkaConfig,
  /** HMAC keys of stored client secrets, base64url of 32 bytes, separated by commas: the first hashes, all verify. */
  CLIENT_SECRET_PEPPER: secret(keys32),
  /** Maximum live clients of an organization (§4.2). */
  CLIENTS_PER_ORGANIZATION: count.prefault(1_000),
  /** Maximum retained deleted clients of an organization (§4.2). */
  DELETED_CLIENTS_PER_ORGANIZATION: count.prefault(10_000),
  /** Registrations of an organization per minute in the long run (§4.2). */
  REGISTRATIONS_PER_MINUTE: count.prefault(300),
  /** Registrations of an organization at once after a pause (§4.2). */
  REGISTRATION_BURST: count.prefault(100),
  /** Maximum redirect URIs of a client (§4.2). */
  REDIRECT_URIS_PER_CLIENT: count.prefault(20),
  /** Maximum characters of all redirect URIs of a client (§4.2). */
  REDIRECT_URI_CHARACTERS_PER_CLIENT: count.prefault(10_000),
  /** Maximum unexpired revoked tokens of a client (§4.1). */
  REVOKED_TOKENS_PER_CLIENT: count.max(1_000).prefault(200),
  /** Maximum unexpired certificate chains of a client (§4.2). */
  CERTIFICATE_CHAINS_PER_CLIENT: count.prefault(20),
  /** Retention of a client that never requested a token, from its registration on (§4.2). */
  UNUSED_CLIENT_RETENTION: duration.refine((ms) => ms >= HOUR_MS, 'at least 1h').prefault('720h'),
  /** Retention of a deleted client (§4.2). */
  TOMBSTONE_RETENTION: duration
    .refine(
      (ms) => ms > HOUR_MS,
      'longer than 1h: a token lives so long, and with it the deletion may be repeated',
    )
    .prefault('720h'),
};

export type Config = z.output<z.ZodObject<typeof config>>;
