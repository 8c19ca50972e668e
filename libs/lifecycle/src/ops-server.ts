import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { METRICS_CONTENT_TYPE, metricsText, observableGauge, observeProcess } from '@kontoport/telemetry';
import type { Closable } from './lifecycle.ts';

/** Returns why a part is not ready; undefined when it is. */
export type Readiness = () => string | undefined | Promise<string | undefined>;

const PROBE_LIMIT_MS = 2_000;
const PATHS: readonly string[] = ['/livez', '/readyz', '/metrics'];
const METHODS: readonly string[] = ['GET', 'HEAD'];

/** Whether each part was ready at the last `/readyz`. */
let wasReady: Readonly<Record<string, boolean>> = {};

observableGauge(
  {
    name: 'kontoport.ready',
    help: '1 if the part of the process was ready at the last request of /readyz, otherwise 0.',
  },
  (observe) => {
    for (const [part, isReady] of Object.entries(wasReady))
      observe(isReady ? 1 : 0, { 'kontoport.part': part });
  },
);

/**
 * Serves `/livez` (the process runs), `/readyz` (every named part is ready, else 503 with the reasons) and `/metrics` (for
 * Prometheus), to GET and HEAD. For the orchestrator only; never reachable through the edge.
 */
export async function startOpsServer(options: {
  /** The name in `kontoport_build_info`. */
  service: string;
  host: string;
  port: number;
  readiness: Record<string, Readiness>;
}): Promise<Closable & { port: number }> {
  const probe = async (check: Readiness): Promise<string | undefined> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`no answer within ${PROBE_LIMIT_MS} ms`), PROBE_LIMIT_MS);
    });
    try {
      return await Promise.race([check(), late]);
    } catch (error) {
      return error instanceof Error ? error.name : 'failed';
    } finally {
      clearTimeout(timer);
    }
  };
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    const reply = (status: number, body: unknown, headers?: Record<string, string>): void => {
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    };
    if (!PATHS.includes(url)) return reply(404, { status: 'unknown route' });
    if (!METHODS.includes(method))
      return reply(405, { status: 'method not allowed' }, { allow: METHODS.join(', ') });
    if (url === '/livez') return reply(200, { status: 'live' });
    if (url === '/metrics')
      return void metricsText().then(
        (text) => response.writeHead(200, { 'content-type': METRICS_CONTENT_TYPE }).end(text),
        () => reply(500, { status: 'not collected' }),
      );
    void Promise.all(
      Object.entries(options.readiness).map(async ([name, check]) => [name, await probe(check)] as const),
    ).then((results) => {
      wasReady = Object.fromEntries(results.map(([name, reason]) => [name, reason === undefined]));
      const waiting = Object.fromEntries(results.filter(([, reason]) => reason !== undefined));
      const ready = Object.keys(waiting).length === 0;
      reply(ready ? 200 : 503, ready ? { status: 'ready' } : { status: 'not ready', waiting });
    });
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const forget = observeProcess(options.service);
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      forget();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
