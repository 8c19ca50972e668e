import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { until } from '@kontoport/embedded/wait';
import { startCollector } from '@kontoport/testing/collector';
import { tlsFolder } from '@kontoport/testing/tls';

type Collector = Awaited<ReturnType<typeof startCollector>>;

const CALLER = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };

const collectors: Collector[] = [];
const running: ChildProcess[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  for (const collector of collectors.splice(0)) await collector.close();
});

async function collect(options?: Parameters<typeof startCollector>[0]): Promise<Collector> {
  const collector = await startCollector(options);
  collectors.push(collector);
  return collector;
}

/** A process that is traced as the environment says. */
function start(env: Record<string, string>) {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--import',
      '@kontoport/runtime/otel',
      join(import.meta.dirname, 'fixtures/traced.ts'),
    ],
    {
      cwd: import.meta.dirname,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  running.push(child);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (said[name] += text));
  return { child, said };
}

/** The same, until it has sent its last spans and ended. @returns what it said, and the contexts of its requests */
async function run(env: Record<string, string>) {
  const { child, said } = start({ LAST: 'true', ...env });
  expect([await once(child, 'close'), said.stderr]).toEqual([[0, null], '']);
  const lines = said.stdout.trim().split('\n');
  const { seen } = JSON.parse(lines.at(-1)!) as { seen: string[] };
  return { seen, lines: lines.slice(0, -1).map((line) => JSON.parse(line) as unknown) };
}

const json = ({ url }: Collector): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
});

/** Has a process fail that loads a package of OpenTelemetry. */
const WITHOUT = {
  NODE_OPTIONS: `--import=${join(import.meta.dirname, 'fixtures/without-opentelemetry.ts')}`,
};

describe('where spans are sent, and how', () => {
  it('to /v1/traces of OTEL_EXPORTER_OTLP_ENDPOINT, as protobuf, all of them before the process ends', async () => {
    const collector = await collect();
    const { seen, lines } = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, SPANS: '3' });
    expect(lines).toEqual([]);
    const [{ path, headers, body }] = collector.received as [Collector['received'][0]];
    expect([collector.received.length, path, headers['content-type']]).toEqual([
      1,
      '/v1/traces',
      'application/x-protobuf',
    ]);
    expect(headers['content-encoding']).toBeUndefined();
    expect(seen).toHaveLength(3);
    for (const [at, traceparent] of seen.entries()) {
      expect(traceparent).toMatch(/-01$/);
      expect(body.includes(Buffer.from(traceparent.slice(3, 35), 'hex'))).toBe(true);
      expect(body.includes(`request ${at}`)).toBe(true);
    }
  });

  it('to OTEL_EXPORTER_OTLP_TRACES_ENDPOINT as it is, which goes first', async () => {
    const collector = await collect();
    await run({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/here`,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:1',
    });
    expect(collector.received.map(({ path }) => path)).toEqual(['/here']);
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_PROTOCOL', { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }],
    [
      'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL, which goes first',
      {
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      },
    ],
  ])('in the form of %s', async (_, env) => {
    const collector = await collect();
    await run({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env });
    expect(collector.spans().map(({ name }) => name)).toEqual(['request 0']);
  });

  it('with the headers of OTEL_EXPORTER_OTLP_HEADERS, packed as OTEL_EXPORTER_OTLP_COMPRESSION says', async () => {
    const collector = await collect();
    await run({
      ...json(collector),
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=one,x-other=two',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    });
    const [{ headers, body }] = collector.received as [Collector['received'][0]];
    expect(headers).toMatchObject({ 'x-key': 'one', 'x-other': 'two', 'content-encoding': 'gzip' });
    expect(gunzipSync(body).toString()).toContain('"name":"request 0"');
  });

  it('over TLS by the files of OTEL_EXPORTER_OTLP_CERTIFICATE, _CLIENT_CERTIFICATE and _CLIENT_KEY', async () => {
    const tls = await tlsFolder();
    try {
      const [server, client] = [
        await tls.issue('collector', { server: ['localhost'] }),
        await tls.issue('client', 'client'),
      ];
      const collector = await collect({ tls: { ...server, ca: tls.ca } });
      await run({
        ...json(collector),
        OTEL_EXPORTER_OTLP_CERTIFICATE: tls.ca,
        OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: client.cert,
        OTEL_EXPORTER_OTLP_CLIENT_KEY: client.key,
      });
      expect(collector.spans()).toHaveLength(1);
    } finally {
      tls.remove();
    }
  });

  it.each([
    ['no endpoint', {}],
    ['OTEL_SDK_DISABLED', { OTEL_SDK_DISABLED: 'True' }],
    ['OTEL_TRACES_EXPORTER=none', { OTEL_TRACES_EXPORTER: 'none' }],
  ])('nowhere with %s: nothing of it is loaded, and a trace is marked as not sampled', async (name, env) => {
    const collector = await collect();
    const { seen } = await run({
      ...env,
      ...WITHOUT,
      OTEL_EXPORTER_OTLP_ENDPOINT: name === 'no endpoint' ? '' : collector.url,
    });
    expect(seen).toEqual([expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)]);
    expect(collector.received).toEqual([]);
  });

  it('with what is loaded for it alone', async () => {
    const { child, said } = start({ ...WITHOUT, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:1' });
    const [code] = (await once(child, 'close')) as [number];
    expect(said.stderr).toContain('@opentelemetry/sdk-trace is loaded');
    expect(code).toBe(1);
  });
});

describe('whose spans they are', () => {
  it('is told by OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES', async () => {
    const collector = await collect();
    await run({
      ...json(collector),
      OTEL_SERVICE_NAME: 'auth',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,service.namespace=bank,service.instance.id=pod-1',
    });
    expect(collector.spans()[0]!.resource).toMatchObject({
      'service.name': 'auth',
      'service.namespace': 'bank',
      'service.instance.id': 'pod-1',
    });
  });

  it('is told by a name of each process where nothing else says it, and by its host; not by how it was started', async () => {
    const collector = await collect();
    await run(json(collector));
    const [{ resource }] = collector.spans() as [ReturnType<Collector['spans']>[0]];
    expect(resource).toMatchObject({
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'host.name': expect.any(String),
    });
    expect(Object.keys(resource).filter((name) => name.startsWith('process.'))).toEqual([]);
    expect(collector.received[0]!.body.toString()).not.toContain('fixtures');
  });
});

describe('what is recorded', () => {
  const caller = (flags: string): string => `00-${CALLER.trace}-${CALLER.span}-${flags}`;

  it.each([
    ['parentbased_traceidratio', '0', undefined, 0],
    ['parentbased_traceidratio', '1', undefined, 1],
    ['parentbased_traceidratio', '0', '01', 1],
    ['parentbased_always_off', '1', undefined, 0],
    ['always_off', '1', '01', 0],
    ['always_on', '0', '00', 1],
    ['traceidratio', '0', '01', 0],
  ])('OTEL_TRACES_SAMPLER=%s with %s, called with the flags %s: %i', async (sampler, share, flags, count) => {
    const collector = await collect();
    await run({
      ...json(collector),
      OTEL_TRACES_SAMPLER: sampler,
      OTEL_TRACES_SAMPLER_ARG: share,
      ...(flags === undefined ? {} : { TRACEPARENT: caller(flags) }),
    });
    expect(collector.spans()).toHaveLength(count);
  });

  it('is nothing where the address of the collector cannot be used, which is said in the log', async () => {
    const { seen, lines } = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' });
    expect(seen).toEqual([expect.stringMatching(/-00$/)]);
    expect(lines).toEqual([
      expect.objectContaining({ faults: [expect.stringMatching(/^OTEL_EXPORTER_OTLP_ENDPOINT: /)] }),
    ]);
  });

  it('what cannot be used is passed over, and said once in the log', async () => {
    const collector = await collect();
    const { lines } = await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_SERVICE_NAME: 'auth',
    });
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'warn',
        service: 'auth',
        msg: 'tracing settings that cannot be used',
        faults: ['OTEL_EXPORTER_OTLP_PROTOCOL: http/protobuf, http/json'],
      }),
    ]);
    expect(collector.received.map(({ headers }) => headers['content-type'])).toEqual([
      'application/x-protobuf',
    ]);
  });
});

describe('spans are sent together', () => {
  /** How many requests came to the collector before the process ended, of these at most. */
  const sentOf = async (collector: Collector, count: number, { child }: ReturnType<typeof start>) => {
    const ended = once(child, 'close');
    const sent = until(() => collector.received.length >= count, { what: `${count} of the requests` });
    await Promise.race([sent, ended]);
    return collector.received.length;
  };

  it('as many as OTEL_BSP_MAX_EXPORT_BATCH_SIZE at most', async () => {
    const collector = await collect();
    await run({ ...json(collector), OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '3', SPANS: '7' });
    const sizes = collector.received.map(({ body }) => body.toString().match(/"name":"request /g)?.length);
    expect(sizes).toHaveLength(3);
    expect(sizes).toEqual(expect.arrayContaining([3, 1]));
  });

  it('no more wait than OTEL_BSP_MAX_QUEUE_SIZE: the others are lost', async () => {
    const collector = await collect();
    await run({ ...json(collector), OTEL_BSP_MAX_QUEUE_SIZE: '4', SPANS: '20' });
    expect(collector.spans()).toHaveLength(8);
  });

  it('after OTEL_BSP_SCHEDULE_DELAY', async () => {
    const collector = await collect();
    const process = start({ ...json(collector), OTEL_BSP_SCHEDULE_DELAY: '50' });
    expect(await sentOf(collector, 1, process)).toBe(1);
  });

  it('and are not waited for longer than OTEL_BSP_EXPORT_TIMEOUT', async () => {
    const collector = await collect({ status: 'never' });
    const process = start({
      ...json(collector),
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_BSP_EXPORT_TIMEOUT: '50',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
      SPANS: '2',
    });
    expect(await sentOf(collector, 2, process)).toBe(2);
  });
});

describe('a collector that never answers', () => {
  it('holds no more than one connection besides the one that is given up', async () => {
    const open = { now: 0, most: 0, all: 0 };
    const server = createServer((socket) => {
      open.all += 1;
      open.now += 1;
      open.most = Math.max(open.most, open.now);
      socket.on('error', () => {}).on('close', () => (open.now -= 1));
      socket.resume();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { child } = start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_EXPORT_TIMEOUT: '50',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
      SPANS: '8',
    });
    await until(() => open.all === 8, { what: 'all that is sent' });
    expect(open.most).toBeLessThanOrEqual(2);
    child.kill();
    server.close();
  });
});

describe('a collector that never ends its answer', () => {
  it('is not listened to', async () => {
    let said = 0;
    const server = createServer((socket) => {
      const say = (): void => {
        while (!socket.destroyed && socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(1_000))) continue;
      };
      socket
        .once('data', say)
        .on('drain', say)
        .on('error', () => {})
        .on('close', () => (said += socket.bytesWritten));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await run({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    server.close();
    await once(server, 'close');
    // What is on its way when it is given up.
    expect(said).toBeLessThan(32 * 1024 * 1024);
  });
});

describe('why nothing arrives', () => {
  it('is said by OTEL_LOG_LEVEL', async () => {
    const collector = await collect({ status: 400 });
    const { said } = start({ ...json(collector), OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_LOG_LEVEL: 'error' });
    const told = await until(() => said.stderr !== '' && said.stderr, {
      what: 'the answer of the collector',
    });
    expect(told).toContain('the collector answers 400');
  });
});
