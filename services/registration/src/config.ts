import { commonConfig, key32, port } from '@kontoport/runtime';
import { z } from 'zod';

/** The environment of registration. */
export const config = {
  ...commonConfig,
  /** Where the other services find the client directory. */
  GRPC_PORT: port,
  /** The database of registration, and of nobody else. */
  DATABASE_URL: z.url(),
  /** Key of the HMAC under which client secrets are stored; with another one no stored secret is accepted. */
  CLIENT_SECRET_PEPPER: key32,
};

export type Config = z.output<z.ZodObject<typeof config>>;
