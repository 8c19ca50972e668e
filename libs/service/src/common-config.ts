import {
  acceptedSecrets,
  count,
  crossFieldCheck,
  duration,
  flag,
  list,
  port,
  secret,
} from '@kontoport/config';
import { internalTlsConfig } from '@kontoport/internal-tls';
import { z } from 'zod';

/** The variables that every service reads. */
export const commonConfig = {
  /** Which adapters stand behind the service's ports. */
  ENVIRONMENT: z.enum(['sandbox', 'production']),
  HTTP_HOST: z.string().min(1).default('127.0.0.1'),
  HTTP_PORT: port,
  OPS_PORT: port,
  TRUST_ANCHORS: z.string().min(1),
  /**
   * Folder of issuing CAs, trusted in nothing, from which paths are completed: for edges that hand over the leaf alone,
   * and clients that present no more.
   */
  INTERMEDIATES: z.string().min(1).optional(),
  /**
   * Whether OCSP and CRLs are asked about client certificates: `off`; `soft-fail` refuses what is revoked; `hard-fail`
   * also what cannot be found out.
   */
  REVOCATION: z.enum(['off', 'soft-fail', 'hard-fail']).default('soft-fail'),
  /** `true`: OCSP responders and CRLs may be on this machine, for a sandbox. Elsewhere a service does not start with it. */
  REVOCATION_LOOPBACK: crossFieldCheck(flag.default(false), ({ ENVIRONMENT, REVOCATION_LOOPBACK }) =>
    ENVIRONMENT === 'production' && REVOCATION_LOOPBACK === 'true'
      ? ['REVOCATION_LOOPBACK: for a sandbox only']
      : [],
  ),
  ...internalTlsConfig,
  EDGE_ADDRESSES: list,
  /** What the edge proves itself by: several while one is changed, of which it sends one. */
  EDGE_SECRET: secret(acceptedSecrets),
  /** The one form in which the edge hands client certificates over; headers of the others are refused. */
  EDGE_FORMAT: z.enum(['rfc9440', 'xfcc', 'nginx', 'traefik', 'haproxy']).default('rfc9440'),
  REGISTRATION_GRPC: z.string().min(1),
  AUTH_JWKS_URL: crossFieldCheck(z.url(), ({ AUTH_JWKS_URL, INTERNAL_TLS_CERT_FILE }) =>
    INTERNAL_TLS_CERT_FILE !== undefined && AUTH_JWKS_URL?.startsWith('http:')
      ? ['AUTH_JWKS_URL: https; with INTERNAL_TLS_CERT_FILE auth serves its keys over TLS']
      : [],
  ),
  TOKEN_ISSUER: z.url(),
  /** Over which certificates a token is taken: any of its client, or the one it was issued over alone (RFC 8705, §4.1). */
  TOKEN_BINDING: z.enum(['client', 'exact']).default('client'),
  /** Requests of a client, and of all clients of an organization, in a window (§8): of this service, over all its replicas. */
  RATE_LIMIT_CLIENT: count.max(1_000_000_000).prefault(5_000),
  RATE_LIMIT_ORGANIZATION: count.max(1_000_000_000).prefault(10_000),
  /** The window: whole seconds. */
  RATE_LIMIT_WINDOW: duration
    .refine((ms) => ms >= 1_000 && ms <= 3_600_000 && ms % 1_000 === 0, 'whole seconds, between 1s and 1h')
    .default(10_000),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
};
