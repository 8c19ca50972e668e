import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { METRICS_CONTENT_TYPE, metricsText, observableGauge, observeProcess } from '@kontoport/telemetry';
import type { Closable } from './lifecycle.ts';

/** Says why a part is not ready, or nothing when it is. */
export type Readiness = () => string | undefined | Promise<string | undefined>;

const PROBE_LIMIT_MS = 2_000;

/** Whether each part was ready when `/readyz` was asked last. */
let wasReady: Readonly<Record<string, boolean>> = {};

observableGauge(
  {
    name: 'kontoport.ready',
    help: 'Whether a part of the process was ready when /readyz was asked last: 1, or 0: no request should come to it.',
  },
  (observe) => {
    for (const [part, isReady] of Object.entries(wasReady))
      observe(isReady ? 1 : 0, { 'kontoport.part': part });
  },
);

/**
 * `/livez` (the process runs), `/readyz` (every named part is ready, else 503 with the reasons) and `/metrics` (what was
 * measured, for Prometheus). For the orchestrator only; never reachable through the edge.
 */
export async function startOpsServer(options: {
  /** Its name, for `kontoport_build_info`. */
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
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/livez') return reply(200, { status: 'live' });
    if (request.url === '/metrics')
      return void metricsText().then(
        (text) => response.writeHead(200, { 'content-type': METRICS_CONTENT_TYPE }).end(text),
        () => reply(500, { status: 'not collected' }),
      );
    if (request.url !== '/readyz') return reply(404, { status: 'unknown route' });
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
