import { join } from 'node:path';
import { untilReady } from '@kontoport/embedded/until-ready';
import { ensureSandboxCa, type SandboxCa } from '@kontoport/issuing';
import type { Lifecycle } from '@kontoport/lifecycle';
import type { InternalCertificates } from './internal-certificates.ts';
import type { StackPorts } from './ports.ts';
import type { Progress } from './progress.ts';
import { passedOn } from './service-environment.ts';
import { ServiceDied, supervise, type Supervised } from './supervise.ts';

const HOST = '127.0.0.1';
const READY_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 5_000;
const CERTIFICATE_CHECK_MS = 6 * 3_600_000;

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

function edgeEnvironment(options: {
  ports: StackPorts;
  ca: SandboxCa;
  edgeSecret: string;
  inside?: InternalCertificates | undefined;
  env: NodeJS.ProcessEnv;
}) {
  const { ports, ca, edgeSecret, inside, env } = options;
  const { services, addresses } = ports;
  const upstream = (port: number): string => `${HOST}:${port}`;
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
    REGISTRATION_UPSTREAM: upstream(services.registration.http),
    AUTH_UPSTREAM: upstream(services.auth.http),
    USER_UPSTREAM: upstream(services.auth.user),
    ACCOUNT_INFORMATION_UPSTREAM: upstream(services['account-information'].http),
    PAYMENTS_UPSTREAM: upstream(services.payments.http),
    WEBHOOK_DISPATCHER_UPSTREAM: upstream(services['webhook-dispatcher'].http),
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
