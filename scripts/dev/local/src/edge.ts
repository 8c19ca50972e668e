import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@kontoport/config';
import { startEdge } from '@kontoport/edge/edge';
import { internalTlsConfig, openInternalTls } from '@kontoport/internal-tls';
import type { SandboxCa } from '@kontoport/issuing';
import { createLogger, type Lifecycle } from '@kontoport/lifecycle';
import type { StackPorts } from './ports.ts';
import type { ProxyNeeds } from './stack-file.ts';

const HOST = '127.0.0.1';

/** Makes the folder for INTERMEDIATES: some proxies, such as nginx, forward the leaf alone. */
export function keepIntermediates(data: string, { issuingCa }: SandboxCa): string {
  const folder = join(data, 'intermediates');
  mkdirSync(folder, { recursive: true });
  copyFileSync(issuingCa.certificate, join(folder, 'kontoport-sandbox-issuing-ca.pem'));
  return folder;
}

/** The port of each listener of the services. */
const upstreamPorts = ({ services }: StackPorts) => ({
  registration: services.registration.http,
  auth: services.auth.http,
  user: services.auth.user,
  'account-information': services['account-information'].http,
  payments: services.payments.http,
  'webhook-dispatcher': services['webhook-dispatcher'].http,
});

/** Collects what a proxy in place of the edge needs. */
export function proxyNeeds(options: {
  ports: StackPorts;
  ca: SandboxCa;
  secretFile: string;
  /** The variables of internal TLS for the edge. */
  inside: Record<string, string> | undefined;
  env: NodeJS.ProcessEnv;
}): ProxyNeeds {
  const { ports, ca, secretFile, inside, env } = options;
  const upstreams = Object.entries(upstreamPorts(ports)).map(([name, port]) => [
    `${name.toUpperCase().replaceAll('-', '_')}_UPSTREAM`,
    `${HOST}:${port}`,
  ]);
  return {
    upstreams: Object.fromEntries(upstreams) as Record<string, string>,
    format: env.EDGE_FORMAT ?? 'rfc9440',
    secretFile,
    serverCertificate: ca.server.certificate,
    serverKey: ca.server.key,
    ...(inside && { internalTls: inside }),
  };
}

/** Opens the edge in this process, in front of services that are ready. */
export async function openEdge(options: {
  ports: StackPorts;
  ca: SandboxCa;
  edgeSecret: string;
  inside: Record<string, string> | undefined;
  lifecycle: Lifecycle;
}): Promise<void> {
  const { ports, ca, edgeSecret, inside, lifecycle } = options;
  const logger = createLogger({ service: 'edge', level: 'silent' });
  const tls = openInternalTls({ name: 'edge', config: readConfig(internalTlsConfig, inside ?? {}), logger });
  if (tls !== undefined) lifecycle.own(tls.watch.name, tls.watch).start();
  const upstreams = Object.entries(upstreamPorts(ports)).map(([name, port]) => [name, { host: HOST, port }]);
  const edge = await startEdge({
    hosts: [HOST, '::1'],
    ports: ports.addresses,
    server: {
      cert: readFileSync(ca.server.certificate, 'utf8'),
      key: readFileSync(ca.server.key, 'utf8'),
    },
    upstreams: Object.fromEntries(upstreams) as Parameters<typeof startEdge>[0]['upstreams'],
    edgeSecret,
    inside: tls?.context,
    handshakeMs: 10_000,
    connections: { perAddress: 500, inAll: 1_000 },
  });
  lifecycle.own('edge', edge);
}
