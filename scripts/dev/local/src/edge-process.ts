import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { untilReady } from '@kontoport/embedded/until-ready';
import { ensureSandboxCa, type SandboxCa } from '@kontoport/issuing';
import type { Lifecycle } from '@kontoport/lifecycle';
import type { InternalCertificates } from './internal-certificates.ts';
import type { StackPorts } from './ports.ts';
import type { Progress } from './progress.ts';
import { passedOn } from './service-environment.ts';
import type { ProxyNeeds } from './stack-file.ts';
import { ServiceDied, supervise, type Supervised } from './supervise.ts';

const HOST = '127.0.0.1';
const READY_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 5_000;
const CERTIFICATE_CHECK_MS = 6 * 3_600_000;

/** Makes the folder for INTERMEDIATES: a proxy may hand over the leaf alone, as nginx does. */
export function keepIntermediates(data: string, { issuingCa }: SandboxCa): string {
  const folder = join(data, 'intermediates');
  mkdirSync(folder, { recursive: true });
  copyFileSync(issuingCa.certificate, join(folder, 'kontoport-sandbox-issuing-ca.pem'));
  return folder;
}

/** Certificates of the sandbox; a stack that stays up for months gets its server certificate renewed under way. */
export async function keepCertificates(options: {
  folder: string;
  trustAnchors: string;
  /** Origin that certificates name. */
  responder: string;
  progress: Progress;
  lifecycle: Lifecycle;
}): Promise<SandboxCa> {
  const { folder, trustAnchors, responder, progress, lifecycle } = options;
  const renew = (): Promise<SandboxCa> =>
    ensureSandboxCa({ folder, trustAnchors, responder, at: new Date() });
  const ca = await renew();
  // The edge looks at the files by itself.
  const timer = setInterval(() => {
    renew().catch((error: unknown) =>
      progress.line(`the server certificate was not renewed: ${String(error)}`),
    );
  }, CERTIFICATE_CHECK_MS);
  lifecycle.own('certificate check', { close: async () => clearInterval(timer) });
  return ca;
}

/** The listener of the services behind each name of docs/edge. */
const upstreamsOf = ({ services }: StackPorts): Record<string, string> => ({
  REGISTRATION_UPSTREAM: `${HOST}:${services.registration.http}`,
  AUTH_UPSTREAM: `${HOST}:${services.auth.http}`,
  USER_UPSTREAM: `${HOST}:${services.auth.user}`,
  ACCOUNT_INFORMATION_UPSTREAM: `${HOST}:${services['account-information'].http}`,
  PAYMENTS_UPSTREAM: `${HOST}:${services.payments.http}`,
  WEBHOOK_DISPATCHER_UPSTREAM: `${HOST}:${services['webhook-dispatcher'].http}`,
});

/** Collects what a proxy in place of the edge needs. */
export function proxyNeeds(options: {
  ports: StackPorts;
  ca: SandboxCa;
  secretFile: string;
  inside: InternalCertificates | undefined;
  env: NodeJS.ProcessEnv;
}): ProxyNeeds {
  const { ports, ca, secretFile, inside, env } = options;
  return {
    upstreams: upstreamsOf(ports),
    format: env.EDGE_FORMAT ?? 'rfc9440',
    secretFile,
    serverCertificate: ca.server.certificate,
    serverKey: ca.server.key,
    ...(inside && { internalTls: inside('edge') }),
  };
}

function edgeEnvironment(options: {
  ports: StackPorts;
  ca: SandboxCa;
  edgeSecret: string;
  inside?: InternalCertificates | undefined;
  env: NodeJS.ProcessEnv;
}) {
  const { ports, ca, edgeSecret, inside, env } = options;
  const { addresses } = ports;
  return {
    ...passedOn(env),
    BASE_PORT: String(addresses.base),
    REGISTRATION_PORT: String(addresses.registration),
    AUTH_PORT: String(addresses.auth),
    USER_PORT: String(addresses.user),
    OPS_PORT: String(ports.edgeOps),
    SERVER_CERTIFICATE: ca.server.certificate,
    SERVER_KEY: ca.server.key,
    EDGE_SECRET: edgeSecret,
    ...inside?.('edge'),
    ...upstreamsOf(ports),
  };
}

/**
 * Starts the edge in a process of its own, in front of services that may still be starting.
 * @throws ServiceDied when it ends instead, such as on a port that was taken in this moment
 */
export async function openEdge(options: {
  root: string;
  ports: StackPorts;
  ca: SandboxCa;
  edgeSecret: string;
  inside?: InternalCertificates | undefined;
  env: NodeJS.ProcessEnv;
  logs: string;
  orphanedFile: string;
  signal: AbortSignal;
  lifecycle: Lifecycle;
}): Promise<Supervised & { close(): Promise<void> }> {
  const { root, logs, orphanedFile, signal, lifecycle } = options;
  const supervised = supervise({
    name: 'edge',
    args: ['--disable-warning=ExperimentalWarning', join(root, 'scripts/dev/edge/src/main.ts')],
    env: edgeEnvironment(options),
    cwd: root,
    logFile: join(logs, 'edge.log'),
    orphanedFile,
  });
  const edge = { ...supervised, close: () => supervised.stop(STOP_LIMIT_MS) };
  lifecycle.own('edge', edge);
  const failed = new AbortController();
  void edge.died.then((death) => failed.abort(new ServiceDied(death)));
  await untilReady({
    name: 'edge',
    opsPort: options.ports.edgeOps,
    limitMs: READY_LIMIT_MS,
    signal: AbortSignal.any([signal, failed.signal]),
  });
  return edge;
}
