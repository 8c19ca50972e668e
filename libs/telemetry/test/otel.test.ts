import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startCollector } from '@kontoport/testing/collector';

type Collector = Awaited<ReturnType<typeof startCollector>>;

const collectors: Collector[] = [];
afterEach(async () => {
  for (const collector of collectors.splice(0)) await collector.close();
});

async function collect(): Promise<Collector> {
  const collector = await startCollector();
  collectors.push(collector);
  return collector;
}

/** Runs a process that makes one span. @returns the trace context of the span, and all that the process printed */
async function run(env: Record<string, string>): Promise<{ seen: string | undefined; printed: string }> {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--import',
      '@kontoport/telemetry/otel',
      join(import.meta.dirname, 'fixtures/traced.ts'),
    ],
    { cwd: import.meta.dirname, env: { PATH: process.env.PATH, ...env } },
  );
  return { seen: /^seen (.*)$/m.exec(stdout)?.[1], printed: stdout + stderr };
}

const RECORDED = /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/;
const UNRECORDED = /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/;

/** Has a process fail that loads the SDK. */
const WITHOUT_SDK = {
  NODE_OPTIONS: `--import=${join(import.meta.dirname, 'fixtures/without-opentelemetry.ts')}`,
};

describe('what is recorded', () => {
  it('goes to OTEL_EXPORTER_OTLP_ENDPOINT before the process ends; the resource tells no command line or user', async () => {
    const collector = await collect();
    const { seen } = await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_SERVICE_NAME: 'payments',
      OTEL_RESOURCE_ATTRIBUTES: 'service.namespace=bank',
    });
    expect(seen).toMatch(RECORDED);
    expect(collector.received.map(({ path }) => path)).toEqual(['/v1/traces']);
    const [span, ...more] = collector.spans();
    expect(more).toEqual([]);
    expect(span).toMatchObject({
      name: 'request',
      traceId: seen!.split('-')[1],
      resource: { 'service.name': 'payments', 'service.namespace': 'bank' },
    });
    expect(Object.keys(span!.resource).filter((name) => name.startsWith('process.'))).toEqual([]);
  });

  it('is printed with OTEL_TRACES_EXPORTER=console', async () => {
    const { seen, printed } = await run({ OTEL_TRACES_EXPORTER: 'console' });
    expect(printed).toContain(`traceId: '${seen!.split('-')[1]}'`);
  });

  it('is sent as metrics, too, where OTEL_METRICS_EXPORTER asks for it', async () => {
    const collector = await collect();
    await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'otlp',
    });
    const metrics = collector.received.find(({ path }) => path === '/v1/metrics');
    expect(metrics?.body.toString()).toContain('"name":"process.cpu.time.seconds"');
  });
});

describe('without a collector', () => {
  it.each([
    ['no variable', {}],
    ['OTEL_SDK_DISABLED', { OTEL_SDK_DISABLED: 'True', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:1' }],
    [
      'OTEL_TRACES_EXPORTER=none',
      { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:1' },
    ],
  ])('the SDK is not loaded, and a trace has an id all the same: %s', async (_, env) => {
    const { seen } = await run({ ...env, ...WITHOUT_SDK });
    expect(seen).toMatch(UNRECORDED);
  });

  it('the SDK would be noticed', async () => {
    await expect(run({ OTEL_TRACES_EXPORTER: 'console', ...WITHOUT_SDK })).rejects.toThrow(
      /@opentelemetry\/\S+ is loaded/,
    );
  });
});

describe('a value that cannot be used', () => {
  it.each([
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'carrier-pigeon'],
    ['OTEL_TRACES_EXPORTER', 'printer'],
    ['OTEL_PROPAGATORS', 'gossip'],
    ['OTEL_BSP_SCHEDULE_DELAY', '-1'],
  ])('is reported by OpenTelemetry, and stops nothing: %s=%s', async (name, value) => {
    const collector = await collect();
    const { seen, printed } = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, [name]: value });
    expect(seen).toBeDefined();
    expect(printed).toContain(value);
  });
});
