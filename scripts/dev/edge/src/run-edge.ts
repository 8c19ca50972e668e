import { readFileSync } from 'node:fs';
import { openInternalTls } from '@kontoport/internal-tls';
import { createLogger, type Lifecycle, type Logger, startOpsServer } from '@kontoport/lifecycle';
import { readEdgeConfig } from './config.ts';
import { type Edge, startEdge } from './edge.ts';

/**
 * Opens the edge as its environment says; `/readyz` answers once all four addresses listen.
 * @throws ConfigError, PortTaken
 */
export async function runEdge({
  env,
  lifecycle,
}: {
  env: Record<string, string | undefined>;
  lifecycle: Lifecycle;
}): Promise<{ edge: Edge; opsPort: number; logger: Logger }> {
  const { options, opsPort, server, internalTls, logLevel } = readEdgeConfig(env);
  const logger = createLogger({ service: 'edge', level: logLevel });
  const inside = openInternalTls({ name: 'edge', config: internalTls, logger });
  if (inside !== undefined) lifecycle.own(inside.watch.name, inside.watch).start();
  const edge = await startEdge({
    ...options,
    server: { cert: readFileSync(server.certificate, 'utf8'), key: readFileSync(server.key, 'utf8') },
    inside: inside?.context,
  });
  lifecycle.own('edge', edge);
  const ops = await startOpsServer({ service: 'edge', host: edge.host, port: opsPort, readiness: {} });
  lifecycle.own('ops server', ops);
  return { edge, opsPort: ops.port, logger };
}
