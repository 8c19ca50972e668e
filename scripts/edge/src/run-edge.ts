import { readFileSync } from 'node:fs';
import {
  createLogger,
  type Lifecycle,
  type Logger,
  Loop,
  openInternalTls,
  startOpsServer,
} from '@kontoport/runtime';
import { type EdgeConfig, readEdgeConfig } from './config.ts';
import { type Edge, startEdge } from './edge.ts';
import type { ServerIdentity } from './listener.ts';

const CERTIFICATE_CHECK_MS = 30_000;

/** Who opens thousands of connections must not fill the log, too. */
const CUT_LINE_MS = 10_000;

/** Calls at most once in so many milliseconds. */
function seldom<T>(everyMs: number, call: (value: T) => void): (value: T) => void {
  let next = 0;
  return (value) => {
    if (performance.now() < next) return;
    next = performance.now() + everyMs;
    call(value);
  };
}

const readIdentity = ({ certificate, key }: EdgeConfig['server']): ServerIdentity => ({
  cert: readFileSync(certificate, 'utf8'),
  key: readFileSync(key, 'utf8'),
});

/**
 * Opens the edge as its environment says; `/readyz` answers once all four addresses listen. A server certificate that
 * was renewed counts within half a minute.
 * @throws ConfigError, PortTaken
 */
export async function runEdge(context: {
  env: Record<string, string | undefined>;
  lifecycle: Lifecycle;
  /** Milliseconds between two looks at the server certificate. */
  certificateCheckMs?: number;
}): Promise<{ edge: Edge; opsPort: number; logger: Logger }> {
  const { env, lifecycle, certificateCheckMs = CERTIFICATE_CHECK_MS } = context;
  const { options, opsPort, server, internalTls, logLevel } = readEdgeConfig(env);
  const logger = createLogger({ service: 'edge', level: logLevel });
  const inside = openInternalTls({ name: 'edge', config: internalTls, logger });
  if (inside !== undefined) lifecycle.own(inside.watch.name, inside.watch).start();
  let identity = readIdentity(server);
  const connections = {
    ...options.connections,
    onCut: seldom(CUT_LINE_MS, (cut: object) => logger.warn(cut, 'too many connections, one was cut')),
  };
  const edge = lifecycle.own(
    'edge',
    await startEdge({ ...options, connections, server: identity, inside: inside?.context }),
  );
  const renewal = new Loop({
    name: 'server certificate',
    everyMs: certificateCheckMs,
    work: () => {
      const now = readIdentity(server);
      if (now.cert === identity.cert && now.key === identity.key) return;
      edge.useCertificate(now);
      identity = now;
      logger.info('the server certificate was renewed');
    },
    logger,
  });
  lifecycle.own(renewal.name, renewal);
  renewal.start();
  const ops = await startOpsServer({ service: 'edge', host: edge.host, port: opsPort, readiness: {} });
  lifecycle.own('ops server', ops);
  return { edge, opsPort: ops.port, logger };
}
