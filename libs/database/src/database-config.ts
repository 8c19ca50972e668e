import {
  crossFieldCheck,
  type ErrorLog,
  type RawEnv,
  type Reloadable,
  reloadableSecret,
} from '@kontoport/config';
import { isLoopback, reloadableTls, tlsFaults, type TlsOptions } from '@kontoport/internal-tls';
import { z } from 'zod';

/** URL parameters from which the driver would read TLS settings, including disabled verification. */
const TLS_PARAMETER = /^(ssl|uselibpqcompat$)/i;

/** The variables of a service that has a database. */
export const databaseConfig = {
  /** `postgres://user:password@host:port/database` of the service's own database. */
  DATABASE_URL: crossFieldCheck(
    reloadableSecret(
      z
        .url({ protocol: /^postgres(ql)?$/ })
        .refine(
          (url) => !URL.canParse(url) || !namesTls(new URL(url)),
          'TLS is asked for by DATABASE_TLS_CA, not by parameters of the URL',
        ),
    ),
    databaseFaults,
  ),
  /** PEM file of certification authorities, or `system`. Enables TLS and verifies the server's name. */
  DATABASE_TLS_CA: z.string().optional(),
  /** PEM file of a client certificate. */
  DATABASE_TLS_CERT: z.string().optional(),
  /** PEM file of the client certificate's key. */
  DATABASE_TLS_KEY: z.string().optional(),
};

export type DatabaseConfig = z.output<z.ZodObject<typeof databaseConfig>>;

/** The URL and TLS of a database, both read for each connection. */
export interface DatabaseAccess {
  url: Reloadable<string>;
  /** Absent: without TLS. */
  tls?: Reloadable<TlsOptions> | undefined;
}

/** Reads the variables, and logs an unusable replacement. */
export function databaseAccess({
  config,
  logger,
}: {
  config: DatabaseConfig;
  logger: ErrorLog;
}): DatabaseAccess {
  const report = (fault: string): void =>
    logger.error({ fault }, 'database credentials not reloaded, the previous ones stay in use');
  const { DATABASE_URL: url, DATABASE_TLS_CA, DATABASE_TLS_CERT, DATABASE_TLS_KEY } = config;
  const tls = reloadableTls('DATABASE', { DATABASE_TLS_CA, DATABASE_TLS_CERT, DATABASE_TLS_KEY });
  return { url: () => url(report), tls: tls && (() => tls(report)) };
}

function namesTls({ searchParams }: URL): boolean {
  return [...searchParams.keys()].some((name) => TLS_PARAMETER.test(name));
}

function databaseFaults(given: RawEnv): readonly string[] {
  const faults = tlsFaults('DATABASE', given);
  const { ENVIRONMENT, DATABASE_URL = '', DATABASE_TLS_CA } = given;
  if (ENVIRONMENT !== 'production' || DATABASE_TLS_CA !== undefined || !URL.canParse(DATABASE_URL))
    return faults;
  const { hostname, searchParams } = new URL(DATABASE_URL);
  const host = searchParams.get('host') ?? hostname;
  // A path is a Unix socket.
  if (host === '' || host.startsWith('/') || isLoopback(host)) return faults;
  return [
    ...faults,
    'DATABASE_TLS_CA: missing; in production a database on another machine is reached by TLS only',
  ];
}
