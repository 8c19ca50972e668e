import {
  CertificateFolderError,
  openVerifier,
  type RevocationMode,
  type RevocationOptions,
} from '@kontoport/certificates';
import { openClientDirectory } from '@kontoport/client-directory';
import { ConfigError } from '@kontoport/config';
import type { BoundedFetch } from '@kontoport/egress';
import type { InternalTls } from '@kontoport/internal-tls';
import { type Lifecycle, type Logger, Loop } from '@kontoport/lifecycle';
import { createAccessTokenVerifier } from './access-token.ts';
import type { EdgeFormat } from './edge-format.ts';
import { createPeerChainReader } from './edge-identity.ts';
import { RateLimits } from './rate-limits.ts';
import { createRequestedFaults } from './requested-faults.ts';
import { authenticate, type Gate, type GateDeps, type TokenBinding } from './security.ts';

/** The part of the common configuration from which a service opens its gate. */
export interface GateConfig {
  TRUST_ANCHORS: string;
  INTERMEDIATES?: string | undefined;
  REVOCATION: RevocationMode;
  REVOCATION_LOOPBACK: boolean;
  ENVIRONMENT: 'sandbox' | 'production';
  EDGE_ADDRESSES: string[];
  EDGE_SECRET: string[];
  EDGE_FORMAT: EdgeFormat;
  REGISTRATION_GRPC: string;
  AUTH_JWKS_URL: string;
  TOKEN_ISSUER: string;
  TOKEN_BINDING: TokenBinding;
  RATE_LIMIT_CLIENT: number;
  RATE_LIMIT_ORGANIZATION: number;
  RATE_LIMIT_WINDOW: number;
}

/** Milliseconds between two checks of the certificate folders. */
const RELOAD_MS = 1_000;

const FOLDERS = {
  anchor: { variable: 'TRUST_ANCHORS', what: 'trust anchors' },
  intermediate: { variable: 'INTERMEDIATES', what: 'issuing CAs' },
} as const;

/**
 * Opens the authentication of callers. `lifecycle` closes it.
 * @throws ConfigError with the invalid ones of EDGE_ADDRESSES, TRUST_ANCHORS and INTERMEDIATES
 */
export async function openGate(options: {
  service: string;
  config: GateConfig;
  /** Absent: plaintext between services. */
  tls?: InternalTls | undefined;
  logger: Logger;
  lifecycle: Lifecycle;
}): Promise<Gate> {
  const { service, config, tls, logger, lifecycle } = options;
  const [readPeerChain, verifier] = await allUsable([
    async () =>
      createPeerChainReader({
        addresses: config.EDGE_ADDRESSES,
        secrets: config.EDGE_SECRET,
        format: config.EDGE_FORMAT,
      }),
    () =>
      openVerifier({
        trustAnchors: config.TRUST_ANCHORS,
        ...(config.INTERMEDIATES === undefined ? {} : { intermediates: config.INTERMEDIATES }),
        revocation: openRevocation({ config, logger, lifecycle }),
        onReload: (report) => logger.info({ report }, `${FOLDERS[report.place].what} reloaded`),
      }),
  ]);
  const anchors = new Loop({
    name: 'trust anchors',
    everyMs: RELOAD_MS,
    work: () => verifier.reload(),
    logger,
  });
  lifecycle.own(anchors.name, anchors);
  anchors.start();
  const directory = lifecycle.own(
    'client directory',
    openClientDirectory({ address: config.REGISTRATION_GRPC, service, tls: tls?.context, logger }),
  );
  const deps: GateDeps = {
    readPeerChain,
    verifier,
    verifyAccessToken: createAccessTokenVerifier({
      keys: config.AUTH_JWKS_URL,
      tls: tls?.context,
      issuer: config.TOKEN_ISSUER,
    }),
    tokenBinding: config.TOKEN_BINDING,
    directory,
    limits: new RateLimits({
      client: config.RATE_LIMIT_CLIENT,
      organization: config.RATE_LIMIT_ORGANIZATION,
      windowMs: config.RATE_LIMIT_WINDOW,
    }),
  };
  return {
    ...deps,
    authenticate: (security, incoming) => authenticate(deps, security, incoming),
    ...(config.ENVIRONMENT === 'sandbox' && { simulateFault: createRequestedFaults(deps.limits) }),
  };
}

/** Returns both results, or throws one ConfigError with the faults of both. */
async function allUsable<A, B>([first, second]: [() => Promise<A>, () => Promise<B>]): Promise<[A, B]> {
  const [a, b] = await Promise.allSettled([first(), second()]);
  if (a.status === 'fulfilled' && b.status === 'fulfilled') return [a.value, b.value];
  const faults = [a, b].flatMap((result): readonly string[] => {
    if (result.status === 'fulfilled') return [];
    const error: unknown = result.reason;
    if (error instanceof ConfigError) return error.faults;
    if (error instanceof CertificateFolderError)
      return [`${FOLDERS[error.place].variable}: ${error.message}`];
    throw error;
  });
  throw new ConfigError(faults);
}

function openRevocation(options: {
  config: GateConfig;
  logger: Logger;
  lifecycle: Lifecycle;
}): RevocationOptions {
  const { config, logger, lifecycle } = options;
  let bounded: BoundedFetch | undefined;
  lifecycle.own('revocation look-ups', { close: async () => bounded?.destroy() });
  return {
    mode: config.REVOCATION,
    async fetch(request) {
      // Loaded with the first request: many services never need the client.
      const { createBoundedFetch } = await import('@kontoport/egress');
      bounded ??= createBoundedFetch({
        allowLoopback: config.REVOCATION_LOOPBACK,
        connectTimeout: 3_000,
        connections: 8,
      });
      return bounded(request);
    },
    onFault: ({ source, fault }) => logger.warn({ ...source, fault }, 'revocation look-up failed'),
  };
}
