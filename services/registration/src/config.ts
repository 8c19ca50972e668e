import { count, duration, keys32, port, secret } from '@kontoport/config';
import { databaseConfig } from '@kontoport/database';
import { kafkaConfig } from '@kontoport/events';
import { commonConfig } from '@kontoport/service/common-config';
import { z } from 'zod';

const HOUR_MS = 3_600_000;

/** The environment of registration. */
export const config = {
  ...commonConfig,
  /** Where the other services find the client directory. */
  GRPC_PORT: port,
  /** The database of registration, and of nobody else. */
  ...databaseConfig,
  /** Brokers that take what auditors are told. */
  ...kafkaConfig,
  /** Keys of the HMAC under which client secrets are stored: the first hashes, all verify; under another nobody is let in. */
  CLIENT_SECRET_PEPPER: secret(keys32),
  /** Live clients of an organization at most (§4.2). */
  CLIENTS_PER_ORGANIZATION: count.prefault(1_000),
  /** Deleted clients of an organization of which something is kept, at most (§4.2). */
  DELETED_CLIENTS_PER_ORGANIZATION: count.prefault(10_000),
  /** Registrations of an organization: in a minute in the long run, and at once after a pause (§4.2). */
  REGISTRATIONS_PER_MINUTE: count.prefault(300),
  REGISTRATION_BURST: count.prefault(100),
  /** Redirect URIs of a client at most, and the characters of all of them (§4.2). */
  REDIRECT_URIS_PER_CLIENT: count.prefault(20),
  REDIRECT_URI_CHARACTERS_PER_CLIENT: count.prefault(10_000),
  /** Revoked tokens of a client that have not ended yet, at most (§4.1). */
  REVOKED_TOKENS_PER_CLIENT: count.max(1_000).prefault(200),
  /** Certificate chains of a client at most that have not ended (§4.2). */
  CERTIFICATE_CHAINS_PER_CLIENT: count.prefault(20),
  /** How long after its registration a client goes that never asked for a token (§4.2). */
  UNUSED_CLIENT_RETENTION: duration.refine((ms) => ms >= HOUR_MS, 'at least 1h').default(30 * 24 * HOUR_MS),
  /** How long the remains of a deleted client are kept (§4.2). */
  TOMBSTONE_RETENTION: duration
    .refine(
      (ms) => ms > HOUR_MS,
      'longer than 1h: a token lives so long, and with it the deletion may be repeated',
    )
    .default(30 * 24 * HOUR_MS),
};

export type Config = z.output<z.ZodObject<typeof config>>;
