import { count, duration, list, port, readConfig, secret } from '@kontoport/config';
import { internalTlsConfig, type InternalTlsConfig } from '@kontoport/internal-tls';
import { z } from 'zod';
import type { EdgeOptions } from './edge.ts';

/** `host:port` */
const upstream = z
  .string()
  .regex(/^[^:]+:\d{1,5}$/, 'host:port')
  .transform((text) => {
    const [host, number] = text.split(':') as [string, string];
    return { host, port: Number(number) };
  });

/** The variables of the edge. */
export const config = {
  HTTPS_HOST: list.default(['127.0.0.1', '::1']),
  BASE_PORT: port,
  REGISTRATION_PORT: port,
  AUTH_PORT: port,
  USER_PORT: port,
  OPS_PORT: port,
  /** PEM files; they are read again when they change. */
  SERVER_CERTIFICATE: z.string().min(1),
  SERVER_KEY: z.string().min(1),
  EDGE_SECRET: secret(
    z
      .string()
      .min(32)
      .regex(/^[^,]*$/, 'one secret: the services hear several, the edge sends one'),
  ),
  ...internalTlsConfig,
  REGISTRATION_UPSTREAM: upstream,
  AUTH_UPSTREAM: upstream,
  USER_UPSTREAM: upstream,
  ACCOUNT_INFORMATION_UPSTREAM: upstream,
  PAYMENTS_UPSTREAM: upstream,
  WEBHOOK_DISPATCHER_UPSTREAM: upstream,
  CONNECTIONS_PER_ADDRESS: count.default(500),
  CONNECTIONS: count.default(1_000),
  HANDSHAKE_LIMIT: duration.default(10_000),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
};

/** What the edge is told by its environment. */
export interface EdgeConfig {
  options: Omit<EdgeOptions, 'server'>;
  opsPort: number;
  /** Paths. */
  server: { certificate: string; key: string };
  /** Of the hop to the services. */
  internalTls: InternalTlsConfig;
  logLevel: string;
}

/** @throws ConfigError naming every missing or malformed variable */
export function readEdgeConfig(env: Record<string, string | undefined>): EdgeConfig {
  const read = readConfig(config, env);
  return {
    options: {
      hosts: read.HTTPS_HOST,
      ports: {
        base: read.BASE_PORT,
        registration: read.REGISTRATION_PORT,
        auth: read.AUTH_PORT,
        user: read.USER_PORT,
      },
      upstreams: {
        registration: read.REGISTRATION_UPSTREAM,
        auth: read.AUTH_UPSTREAM,
        user: read.USER_UPSTREAM,
        'account-information': read.ACCOUNT_INFORMATION_UPSTREAM,
        payments: read.PAYMENTS_UPSTREAM,
        'webhook-dispatcher': read.WEBHOOK_DISPATCHER_UPSTREAM,
      },
      edgeSecret: read.EDGE_SECRET,
      handshakeMs: read.HANDSHAKE_LIMIT,
      connections: { perAddress: read.CONNECTIONS_PER_ADDRESS, inAll: read.CONNECTIONS },
    },
    opsPort: read.OPS_PORT,
    server: { certificate: read.SERVER_CERTIFICATE, key: read.SERVER_KEY },
    internalTls: read,
    logLevel: read.LOG_LEVEL,
  };
}
