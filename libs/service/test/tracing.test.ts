import { once } from 'node:events';
import { request } from 'node:http';
import { startCollector } from '@kontoport/testing/collector';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { killTiny, startTiny } from './fixtures/tiny-process.ts';

let peers: FakePeers;
beforeAll(async () => {
  peers = await startFakePeers();
});
afterEach(killTiny);
afterAll(() => peers.close());

const CALLER = '0af7651916cd43dd8448eb211c80319c';

/** Sends values that no trace may contain, and reads the whole answer. */
async function ask(origin: string, path: string): Promise<void> {
  const asked = request(`${origin}${path}`, {
    headers: {
      traceparent: `00-${CALLER}-b7ad6b7169203331-01`,
      b3: `${CALLER}-b7ad6b7169203331-1`,
      'x-b3-traceid': CALLER,
      'x-b3-spanid': 'b7ad6b7169203331',
      'x-b3-sampled': '1',
      host: 'hidden-host',
      'user-agent': 'hidden-agent',
      authorization: 'Bearer hidden-token',
      cookie: 'hidden-cookie',
    },
  }).end();
  const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
  await once(answer.resume(), 'end');
}

/** Sends requests to a service with a collector, and stops it. @returns the spans, and the text of all exports */
async function trace(paths: readonly string[], env: Record<string, string> = {}) {
  const collector = await startCollector();
  const service = startTiny(peers.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    ...env,
  });
  const ready = await service.line('ready');
  const { base_url: origin } = ready.addresses as { base_url: string };
  for (const path of paths) await ask(origin, path);
  for (const path of ['/livez', '/readyz', '/metrics'])
    await ask(`http://127.0.0.1:${String(ready.opsPort)}`, path);
  service.child.kill('SIGTERM');
  expect(await service.exit).toBe(0);
  await collector.close();
  const told = collector.received.map(({ body }) => body.toString()).join('\n');
  return { spans: collector.spans(), told, lines: service.lines };
}

describe('the trace of a request', () => {
  it('begins here and names the route, without other content of the request; probes have none', async () => {
    const { spans, told, lines } = await trace(['/greeting?hidden-query=1', '/hidden-path']);
    expect(spans.map(({ name }) => name)).toEqual(['GET /greeting', 'GET']);
    for (const { kind, parentSpanId, traceId } of spans)
      expect([kind, parentSpanId ?? '', traceId === CALLER]).toEqual([2, '', false]);
    expect(spans.map(({ attributes }) => attributes)).toEqual([
      expect.objectContaining({
        'http.route': '/greeting',
        'url.path': '/greeting',
        'http.response.status_code': 200,
      }),
      {
        'http.request.method': 'GET',
        'http.response.status_code': 404,
        'kontoport.error_code': 'ROUTE_UNKNOWN',
        'network.protocol.version': '1.1',
        'url.scheme': 'http',
      },
    ]);
    for (const hidden of ['hidden', '127.0.0.1']) expect(told).not.toContain(hidden);
    const logged = lines.filter(({ msg }) => msg === 'request').map(({ traceId }) => traceId);
    expect(logged).toEqual(spans.map(({ traceId }) => traceId));
  });

  it('has no spans of an idle service with running loops and probes', async () => {
    expect((await trace([])).spans).toEqual([]);
  });

  it.each(['tracecontext', 'b3', 'b3multi'])(
    "is sampled by our configuration, not by the caller's flag: %s",
    async (propagator) => {
      const { spans, lines } = await trace(['/greeting'], {
        OTEL_TRACES_SAMPLER: 'parentbased_always_off',
        OTEL_PROPAGATORS: propagator,
      });
      expect(spans).toEqual([]);
      const traceId = lines.find(({ msg }) => msg === 'request')?.traceId;
      expect([traceId, traceId === CALLER]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), false]);
    },
  );
});
