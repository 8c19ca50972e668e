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
import { brandConfig } from '@kontoport/pages/config';
import { z } from 'zod';

/** The variables that every service reads. */
export const commonConfig = {
  /** `production` uses the bank's adapters and stores everything in PostgreSQL; `sandbox` simulates the bank. */
  ENVIRONMENT: z.enum(['sandbox', 'production']),
  /** Address on which all ports of the service listen. */
  HTTP_HOST: z.string().min(1).default('127.0.0.1'),
  /** Port of the routes for TPPs. */
  HTTP_PORT: port,
  /** Port of `/livez`, `/readyz` and `/metrics`, plain HTTP for the platform. */
  OPS_PORT: port,
  /** Folder of PEM trust anchors of QWACs, watched. */
  TRUST_ANCHORS: z.string().min(1),
  /** Folder of PEM issuing CAs, watched and not trusted: used to build the chain when only the leaf certificate is presented. */
  INTERMEDIATES: z.string().min(1).optional(),
  /** Revocation checks of client certificates by OCSP and CRL. `soft-fail` rejects revoked certificates, `hard-fail` also those whose status is unknown. */
  REVOCATION: z.enum(['off', 'soft-fail', 'hard-fail']).default('soft-fail'),
  /** `true` allows OCSP responders and CRLs on the loopback address. Only for a sandbox. */
  REVOCATION_LOOPBACK: crossFieldCheck(flag.prefault('false'), ({ ENVIRONMENT, REVOCATION_LOOPBACK }) =>
    ENVIRONMENT === 'production' && REVOCATION_LOOPBACK === 'true'
      ? ['REVOCATION_LOOPBACK: for a sandbox only']
      : [],
  ),
  ...internalTlsConfig,
  /** IP addresses or CIDR blocks of the edge, separated by commas: only they may forward client certificates. */
  EDGE_ADDRESSES: list,
  /** Secret that the edge sends with each request. Several, separated by commas, while one is rotated. */
  EDGE_SECRET: secret(acceptedSecrets),
  /** Header format in which the edge forwards client certificates; headers of the other formats are rejected. */
  EDGE_FORMAT: z.enum(['rfc9440', 'xfcc', 'nginx', 'traefik', 'haproxy']).default('rfc9440'),
  /** `host:port` of the gRPC server of registration. */
  REGISTRATION_GRPC: z.string().min(1),
  /**
   * `host:port` of the gRPC server of account-information, which stores the request log. Only for a sandbox; without it no request
   * is recorded.
   */
  REQUEST_LOG_GRPC: crossFieldCheck(z.string().min(1).optional(), ({ ENVIRONMENT, REQUEST_LOG_GRPC }) =>
    ENVIRONMENT === 'production' && REQUEST_LOG_GRPC !== undefined
      ? ['REQUEST_LOG_GRPC: for a sandbox only']
      : [],
  ),
  /** URL of the keys that verify access tokens. */
  AUTH_JWKS_URL: crossFieldCheck(z.url(), ({ AUTH_JWKS_URL, INTERNAL_TLS_CERT_FILE }) =>
    INTERNAL_TLS_CERT_FILE !== undefined && AUTH_JWKS_URL?.startsWith('http:')
      ? ['AUTH_JWKS_URL: https; with INTERNAL_TLS_CERT_FILE auth serves its keys over TLS']
      : [],
  ),
  /** Issuer (`iss`) of access tokens. */
  TOKEN_ISSUER: z.url(),
  /** Certificate that must accompany a token: any of the client's, or exactly the one it was issued with (RFC 8705, §4.1). */
  TOKEN_BINDING: z.enum(['client', 'exact']).default('client'),
  /** Requests of one client in a window (§8), over all replicas of the service. */
  RATE_LIMIT_CLIENT: count.max(1_000_000_000).prefault(5_000),
  /** Requests of all clients of one organization in a window (§8), over all replicas of the service. */
  RATE_LIMIT_ORGANIZATION: count.max(1_000_000_000).prefault(10_000),
  /** Length of the window, whole seconds. */
  RATE_LIMIT_WINDOW: duration
    .refine((ms) => ms >= 1_000 && ms <= 3_600_000 && ms % 1_000 === 0, 'whole seconds, between 1s and 1h')
    .prefault('10s'),
  /**
   * Public URLs of base_url, registration_url, auth_url and user_url in this order, separated by commas: the developers' pages of
   * each address then link to the others.
   */
  PUBLIC_URLS: list
    .refine(
      (urls) => urls.length === 4 && urls.every((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? '')),
      'four URLs',
    )
    .optional(),
  ...brandConfig,
  /** Least severe level that is logged. */
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
};
