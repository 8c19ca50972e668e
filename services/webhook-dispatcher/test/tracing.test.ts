import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { startServiceProcess } from '@kontoport/testing/service-process';
import { startReceiver } from './receiver.ts';
import { type Parts, postingFor, publish, startParts, webhookClient } from './running.ts';
import { arrived } from './scene.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
}

let parts: Parts;
let exported = '';
const collector = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => (exported += chunk.toString()));
  request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
});

beforeAll(async () => {
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  parts = await startParts();
});

afterAll(async () => {
  collector.closeAllConnections();
  collector.close();
  await parts.close();
});

const REPOSITORY = join(import.meta.dirname, '../../..');

describe('one trace from the posting to the webhook', () => {
  it('has the attempt as a span, its context in the request, and no secret', async () => {
    const [HTTP_PORT, OPS_PORT] = [String(await freePort()), String(await freePort())];
    const process = startServiceProcess({
      service: 'webhook-dispatcher',
      env: {
        ...parts.env,
        HTTP_PORT,
        OPS_PORT,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_TRACES_EXPORTER: 'otlp',
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_LOGS_EXPORTER: 'none',
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    });
    await process.ready();
    const [tpp, receiver] = [await parts.peers.addTpp(), await startReceiver()];
    const client = webhookClient(() => `http://127.0.0.1:${HTTP_PORT}`, tpp);
    const { subscriptionKey } = await client.subscribe(receiver.url);
    // A trace that is not recorded has no span, and is passed on to the receiver.
    const unrecorded = '1af7651916cd43dd8448eb211c80319c';
    await publish(parts.producer, [postingFor([tpp])], {
      traceparent: `00-${unrecorded}-c7ad6b7169203331-00`,
    });
    await arrived(receiver);
    expect(receiver.received.pop()!.headers.traceparent).toMatch(
      new RegExp(`^00-${unrecorded}-[0-9a-f]{16}-00$`),
    );
    const [traceId, parentSpanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    const posting = postingFor([tpp]);
    await publish(parts.producer, [posting], { traceparent: `00-${traceId}-${parentSpanId}-01` });
    await arrived(receiver);

    const attempt = await until(
      () => {
        const found = /\{[^{}]*"name":"webhook attempt"/.exec(exported)?.[0];
        return found === undefined ? undefined : (JSON.parse(`${found}}`) as Span);
      },
      { what: 'the span of the attempt' },
    );
    expect(attempt).toMatchObject({ traceId, parentSpanId });
    expect(receiver.received[0]!.headers.traceparent).toBe(`00-${traceId}-${attempt.spanId}-01`);
    // No route has this path, so the trace has no template of it.
    expect((await fetch(`http://127.0.0.1:${HTTP_PORT}/nothing/hidden-in-a-path`)).status).toBe(404);
    await process.kill('SIGTERM');
    expect(exported.match(/"name":"webhook attempt"/g)).toHaveLength(1);
    await receiver.close();
    // The trace also contains the path of the repository, which may have any name.
    const told = exported.replaceAll(REPOSITORY, '');
    for (const secret of [subscriptionKey, posting.accountNumber, '/hook', 'tenant', 'hidden-in-a-path'])
      expect(told).not.toContain(secret);
  });
});
