import { constants } from 'node:crypto';
import type { SecureContext, Server, TLSSocket } from 'node:tls';
import { ConfigError, crossFieldCheck, type RawEnv, reloadable, type Reloadable } from '@kontoport/config';
import { type Logger, Loop } from '@kontoport/lifecycle';
import { z } from 'zod';
import { observeCertificateEnd } from './certificate-end.ts';
import { identitiesOf, rememberIdentities, type ServiceIdentity } from './service-identity.ts';
import {
  certificatesIn,
  isSame,
  readTls,
  reloadableContext,
  type TlsOptions,
  type TlsVariables,
} from './tls-files.ts';

const FILES = {
  cert: 'INTERNAL_TLS_CERT_FILE',
  key: 'INTERNAL_TLS_KEY_FILE',
  ca: 'INTERNAL_TLS_CA_FILE',
} as const satisfies TlsVariables;

const file = z.string().min(1).optional();

/** The variables of mutual TLS between our services: all three files, or none. */
export const internalTlsConfig = {
  /** Mutual TLS between the services: `off` allows production without it, `on` requires it in a sandbox. */
  INTERNAL_TLS: crossFieldCheck(z.enum(['on', 'off']).optional(), internalTlsFaults),
  /** PEM file of the service's certificate, which carries its name, with its chain. Watched. */
  INTERNAL_TLS_CERT_FILE: file,
  /** PEM file of the certificate's key. Watched. */
  INTERNAL_TLS_KEY_FILE: file,
  /** PEM file of the internal certification authorities, the only trusted ones. Watched. */
  INTERNAL_TLS_CA_FILE: file,
};

export type InternalTlsConfig = z.output<z.ZodObject<typeof internalTlsConfig>>;

function internalTlsFaults(given: RawEnv): readonly string[] {
  const { ENVIRONMENT, INTERNAL_TLS: said } = given;
  const names = Object.values(FILES);
  const present = names.filter((name) => given[name] !== undefined);
  if (said === 'off') return present.map((name) => `${name}: given, but INTERNAL_TLS is off`);
  if (present.length === 0 && said !== 'on' && ENVIRONMENT !== 'production') return [];
  const needed = present.length > 0 ? 'the three files go together' : 'or INTERNAL_TLS=off';
  const missing = names
    .filter((name) => given[name] === undefined)
    .map((name) => `${name}: missing; services speak to each other over mutual TLS (${needed})`);
  return missing.length > 0 ? missing : readInternal(given).faults;
}

type CompleteTls = TlsOptions & { ca: string; cert: string; key: string };

/** Peers reject an expired certificate, and one of another authority. */
function readInternal(given: RawEnv): { options: CompleteTls; faults: readonly string[] } {
  const { options, faults } = readTls(FILES, given);
  const complete = options as CompleteTls;
  if (faults.length === 0 && options.ca === undefined)
    faults.push(`${FILES.ca}: a file; the authorities of the system certify others, too`);
  if (faults.length > 0) return { options: complete, faults };
  const chain = certificatesIn(complete.cert);
  const authorities = certificatesIn(complete.ca);
  const now = new Date();
  if (chain[0]!.validToDate <= now) faults.push(`${FILES.cert}: it has expired`);
  if (chain[0]!.validFromDate > now) faults.push(`${FILES.cert}: it is not valid yet`);
  const isOurs = authorities.some((ca) =>
    chain.some((own) => own.checkIssued(ca) && own.verify(ca.publicKey)),
  );
  if (!isOurs) faults.push(`${FILES.cert}: no authority in ${FILES.ca} has issued it`);
  return { options: complete, faults };
}

/** Mutual TLS with the current files. */
export interface InternalTls {
  /** The context of clients. */
  readonly context: SecureContext;
  /** The first options of a server; `keep` updates them. */
  serverOptions(): TlsOptions & { requestCert: true };
  /**
   * Applies every new certificate to a server of `serverOptions`, and logs failed handshakes.
   * @param accept called for a connection with an authenticated peer (`peerIdentities`), with the milliseconds until
   *   either certificate expires, at most 12 hours
   */
  keep(server: Server, accept: (socket: TLSSocket, lifeMs: number) => void): void;
  /** The fault of replaced files; the last good ones stay in use. */
  fault(): string | undefined;
  /** The reason why peers reject the own certificate, for `/readyz`. */
  readiness(): string | undefined;
  /** The end of the validity of the own certificate. */
  expiresAt(): Date;
  /** Looks at the files. */
  readonly watch: Loop;
  /** Logs refused peers. */
  readonly logger: Logger;
}

/** Milliseconds until a replaced file takes effect. */
const LOOK_MS = 1_000;
/** The longest life of a connection. A removed authority has no effect after it. */
const OLDEST_MS = 12 * 3_600_000;
const HANDSHAKE_MS = 10_000;

/**
 * Opens internal TLS by the variables; undefined without files.
 * @param options.name the name that the own certificate must bear
 * @throws ConfigError when it bears another name
 */
export function openInternalTls(options: {
  name: string;
  config: InternalTlsConfig;
  logger: Logger;
}): InternalTls | undefined {
  const { name, config, logger } = options;
  if (config.INTERNAL_TLS_CERT_FILE === undefined) return undefined;
  const files = liveFiles(name, config);
  const report = (fault: string): void =>
    logger.error({ fault }, 'internal certificate not reloaded, the previous one stays in use');
  const current = (): InternalFiles => files.read(report);
  const serverOptions = () => ({ ...tlsOf(current()), ...SERVER });
  const servers = new Set<Server>();
  /** The ends of the certificates of connected edges, the newest connection last. */
  const edges = new Map<TLSSocket, Date>();
  let last = current();
  observeCertificateEnd('internal', () => current().expiresAt);
  return {
    logger,
    context: reloadableContext(() => tlsOf(current())),
    serverOptions,
    keep(server, accept) {
      servers.add(server);
      server.once('close', () => servers.delete(server));
      server.on('secureConnection', (socket: TLSSocket) => {
        const certificate = socket.getPeerX509Certificate()!;
        const names = identitiesOf(certificate);
        rememberIdentities(socket, names);
        if (names.has('edge')) {
          edges.set(socket, certificate.validToDate);
          socket.once('close', () => edges.delete(socket));
          observeCertificateEnd('edge', () => [...edges.values()].at(-1));
        }
        const ends = [certificate.validToDate, current().expiresAt];
        accept(socket, lifeMs({ ends, now: new Date(), random: Math.random() }));
      });
      server.on('tlsClientError', reportRefusals(logger));
    },
    fault: files.fault,
    readiness: () => (current().expiresAt > new Date() ? undefined : 'the own certificate has expired'),
    expiresAt: () => current().expiresAt,
    watch: new Loop({
      name: 'internal certificates',
      everyMs: LOOK_MS,
      work: () => {
        const now = current();
        if (isSame(last, now)) return;
        last = now;
        for (const server of servers) server.setSecureContext(serverOptions());
        logger.info({ expiresAt: now.expiresAt.toISOString() }, 'the internal certificates were renewed');
      },
      logger,
    }),
  };
}

/** The maximum life of a connection, milliseconds. @param options.random from 0 to 1: not all end at once */
export function lifeMs({ ends, now, random }: { ends: readonly Date[]; now: Date; random: number }): number {
  const left = Math.min(...ends.map((end) => end.getTime() - now.getTime()));
  return Math.max(0, Math.min(left, OLDEST_MS * (1 - random / 10)));
}

type InternalFiles = CompleteTls & { expiresAt: Date };

const tlsOf = ({ expiresAt: _expiresAt, ...tls }: InternalFiles): TlsOptions => tls;

const SERVER = {
  requestCert: true,
  handshakeTimeout: HANDSHAKE_MS,
  // A resumed session would not be verified again.
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
} as const;

/** The files and their current fault. */
function liveFiles(
  name: string,
  config: InternalTlsConfig,
): { read: Reloadable<InternalFiles>; fault: () => string | undefined } {
  const given: RawEnv = Object.fromEntries(Object.values(FILES).map((file) => [file, config[file]]));
  const look = (): InternalFiles | { faults: readonly string[] } => {
    const { options, faults } = readInternal(given);
    if (faults.length > 0) return { faults };
    const own = certificatesIn(options.cert)[0]!;
    if (!identitiesOf(own).has(name as ServiceIdentity))
      return { faults: [`${FILES.cert}: it does not name ${name}`] };
    return { ...options, expiresAt: own.validToDate };
  };
  const first = look();
  if ('faults' in first) throw new ConfigError(first.faults);
  let fault: string | undefined;
  const read = reloadable(() => {
    const found = look();
    fault = 'faults' in found ? found.faults.join('; ') : undefined;
    if ('faults' in found) throw new Error(fault);
    return found;
  });
  return { read, fault: () => fault };
}

const REPORT_EVERY_MS = 10_000;
const MAX_REPORTED = 100;

/** Logs why a handshake failed; the same of the same address every ten seconds at most. */
function reportRefusals(logger: Logger): (error: NodeJS.ErrnoException, socket: TLSSocket) => void {
  const nextAt = new Map<string, number>();
  return (error, socket) => {
    const { remoteAddress = 'gone', authorizationError } = socket;
    // Node would keep a silent connection open.
    socket.destroy();
    const reason = String(authorizationError ?? error.code ?? error.message);
    const key = `${reason} ${remoteAddress}`;
    const now = performance.now();
    if (now < (nextAt.get(key) ?? 0)) return;
    if (nextAt.size >= MAX_REPORTED) nextAt.clear();
    nextAt.set(key, now + REPORT_EVERY_MS);
    logger.warn({ reason, remoteAddress }, 'connection refused: no valid internal certificate');
  };
}
