import { keys32, port, secret } from '@kontoport/config';
import { databaseConfig } from '@kontoport/database';
import { kafkaConfig } from '@kontoport/events';
import { commonConfig } from '@kontoport/service/common-config';
import { z } from 'zod';

/** The environment of account-information. */
export const config = {
  ...commonConfig,
  /** Port of the service's gRPC server. */
  GRPC_PORT: port,
  /** Database `account_information`. */
  ...databaseConfig,
  /** Brokers for the events of postings. */
  ...kafkaConfig,
  /** Keys that authenticate cursors, base64url of 32 bytes, separated by commas: the first signs, all verify. Every replica has the same value. */
  SECRETS_KEY: secret(keys32),
  /** Concurrent first uses of the sandbox by clients; each holds one of ten database connections. */
  SANDBOX_FIRST_USES_IN_FLIGHT: z.coerce.number().int().min(1).max(8).prefault(4),
  /** Concurrent streams of the bank's feed (`Ingest`) per replica. */
  INGEST_STREAMS: z.coerce.number().int().min(1).max(64).prefault(4),
  /** Seconds until an idle stream of the bank's feed is closed. */
  INGEST_IDLE_SECONDS: z.coerce.number().int().min(1).max(3_600).prefault(60),
};

export type Config = z.output<z.ZodObject<typeof config>>;
