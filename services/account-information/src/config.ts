import { keys32, port, secret } from '@kontoport/config';
import { databaseConfig } from '@kontoport/database';
import { kafkaConfig } from '@kontoport/events';
import { commonConfig } from '@kontoport/service/common-config';
import { z } from 'zod';

/** The environment of account-information. */
export const config = {
  ...commonConfig,
  /** Where the other services reach Ledger, Consents and AccountAccess. */
  GRPC_PORT: port,
  /** Database `account_information`. */
  ...databaseConfig,
  /** Brokers that take the postings. */
  ...kafkaConfig,
  /** Authenticates the cursors of the V2 list; the same on every replica: the first marks, all of them are believed. */
  SECRETS_KEY: secret(keys32),
  /** Copies of the simulated accounts made at a time; each holds one of ten connections to the database. */
  SANDBOX_COPIES_IN_FLIGHT: z.coerce.number().int().min(1).max(8).prefault(4),
  /** Streams of the bank's feed (`Ingest`) served at a time by a replica. */
  INGEST_STREAMS: z.coerce.number().int().min(1).max(64).prefault(4),
  /** Seconds after which such a stream ends in which nothing comes and no answer is read. */
  INGEST_IDLE_SECONDS: z.coerce.number().int().min(1).max(3_600).prefault(60),
};

export type Config = z.output<z.ZodObject<typeof config>>;
