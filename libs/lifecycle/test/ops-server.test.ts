import { createRequire } from 'node:module';
import { until } from '@kontoport/embedded/wait';
import { createLogger, Loop, startOpsServer } from '@kontoport/lifecycle';
import { counter, durationHistogram, observableGauge, upDownCounter } from '@kontoport/telemetry';
import { readMetrics } from '@kontoport/testing/metrics';

describe('the ops server', () => {
  it('is live at once, and ready when every part says so; a failing part shows its kind only', async () => {
    let asked = 0;
    const ops = await startOpsServer({
      service: 'test',
      host: '127.0.0.1',
      port: 0,
      readiness: {
        warm: () => (asked++ < 1 ? 'warming up' : undefined),
        broken: async () => {
          if (asked < 3) throw new TypeError('internal detail');
          return undefined;
        },
      },
    });
    const origin = `http://127.0.0.1:${ops.port}`;
    expect((await fetch(`${origin}/livez`)).status).toBe(200);
    const told = async (): Promise<Record<string, number>> => {
      const { series } = (await readMetrics(ops.port)).families.get('kontoport_ready')!;
      return Object.fromEntries(series.map(({ labels, value }) => [labels.kontoport_part, value]));
    };
    const first = await fetch(`${origin}/readyz`);
    expect(await told()).toEqual({ warm: 0, broken: 0 });
    expect(first.status).toBe(503);
    expect(await first.json()).toEqual({
      status: 'not ready',
      waiting: { warm: 'warming up', broken: 'TypeError' },
    });
    await fetch(`${origin}/readyz`);
    expect(await told()).toEqual({ warm: 1, broken: 0 });
    const third = await fetch(`${origin}/readyz`);
    expect([third.status, await third.json()]).toEqual([200, { status: 'ready' }]);
    expect((await fetch(`${origin}/other`)).status).toBe(404);
    await ops.close();
  });

  it.each(['/livez', '/readyz', '/metrics'])('answers GET and HEAD alone: %s', async (path) => {
    const ops = await startOpsServer({ service: 'test', host: '127.0.0.1', port: 0, readiness: {} });
    const ask = (method: string) => fetch(`http://127.0.0.1:${ops.port}${path}`, { method });
    const head = await ask('HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const refused = await ask(method);
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      await refused.text();
    }
    await ops.close();
  });
});

describe('the metrics of a process', () => {
  const opened: { close(): Promise<void> }[] = [];

  async function serve(service: string) {
    const ops = await startOpsServer({ service, host: '127.0.0.1', port: 0, readiness: {} });
    opened.push(ops);
    return ops;
  }

  afterEach(async () => {
    for (const ops of opened.splice(0)) await ops.close();
  });

  it('name what runs, until it is closed', async () => {
    const { version } = createRequire(import.meta.url)('../../../package.json') as { version: string };
    const { port } = await serve('one');
    const another = await serve('another');
    const labels = { version, node: process.versions.node };
    const both = (await readMetrics(port)).families.get('kontoport_build_info')!.series;
    expect(both).toEqual(
      ['one', 'another'].map((service) => ({
        name: 'kontoport_build_info',
        labels: { service, ...labels },
        value: 1,
      })),
    );
    await another.close();
    opened.pop();
    expect((await readMetrics(port)).families.get('kontoport_build_info')!.series).toEqual([both[0]]);
  });

  it('tell when it began, and what it uses of processor and memory', async () => {
    const { port } = await serve('one');
    // The delay of the event loop takes some samples first.
    const metrics = await until(
      async () => {
        const read = await readMetrics(port);
        return read.families.has('nodejs_eventloop_delay_p99_seconds') && read;
      },
      { what: 'the delay of the event loop' },
    );
    expect(metrics.sum('process_start_time_seconds')).toBeCloseTo(performance.timeOrigin / 1_000, 3);
    const { user, system } = process.cpuUsage();
    const used = metrics.sum('process_cpu_time_seconds_total');
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThanOrEqual((user + system) / 1e6);
    expect(metrics.sum('process_memory_usage_bytes')).toBeGreaterThan(10_000_000);
    expect(metrics.sum('v8js_memory_heap_used_bytes', { v8js_heap_space_name: 'old_space' })).toBeGreaterThan(
      1_000_000,
    );
    expect(
      metrics.sum('nodejs_eventloop_time_seconds_total', { nodejs_eventloop_state: 'active' }),
    ).toBeGreaterThan(0);
    expect([...metrics.families.keys()]).toEqual(
      expect.arrayContaining(['p50', 'p99', 'max'].map((name) => `nodejs_eventloop_delay_${name}_seconds`)),
    );
  });

  it('measure the garbage collector while a service runs', async () => {
    const { port } = await serve('one');
    const count = async (): Promise<number> =>
      (await readMetrics(port)).sum('v8js_gc_duration_seconds_count', { v8js_gc_type: 'minor' });
    const before = await count();
    const garbage = (): unknown => Array.from({ length: 1_000_000 }, (_, at) => ({ at }));
    await until(async () => garbage() && (await count()) > before, { what: 'a collection' });
    expect((await readMetrics(port)).sum('v8js_gc_duration_seconds_sum')).toBeGreaterThan(0);
  });

  it('measure in buckets, in seconds, and count and level by labels', async () => {
    const durations = durationHistogram({
      name: 'test.thing.duration',
      help: 'Of a test: "quoted" \\ and all.',
    });
    const things = counter({ name: 'test.things', help: 'Of a test.' });
    const level = upDownCounter({ name: 'test.things.at_hand', help: 'Of a test.' });
    for (const milliseconds of [5, 5.1, 10_000, 10_001])
      durations.record(milliseconds, { 'test.kind': 'a "b"\n\\' });
    things.add(2, { 'test.kind': 'x' });
    things.add(3, { 'test.kind': 'x' });
    level.add(2);
    level.add(-1);
    let read = 0;
    observableGauge({ name: 'test.reads', help: 'Of a test.' }, (observe) => observe(++read));
    const { port } = await serve('one');
    const metrics = await readMetrics(port);
    const test_kind = 'a "b"\n\\';
    const bucket = (le: string): number =>
      metrics.sum('test_thing_duration_seconds_bucket', { le, test_kind });
    expect([bucket('0.005'), bucket('0.01'), bucket('10'), bucket('+Inf')]).toEqual([1, 2, 3, 4]);
    expect(metrics.sum('test_thing_duration_seconds_sum')).toBeCloseTo(20.0111, 6);
    expect(metrics.sum('test_things_total', { test_kind: 'x' })).toBe(5);
    expect(metrics.sum('test_things_at_hand')).toBe(1);
    expect(metrics.sum('test_reads')).toBe(1);
    expect((await readMetrics(port)).sum('test_reads')).toBe(2);
  });

  it('tell of the runs of loops, done and failed', async () => {
    const { port } = await serve('one');
    let runs = 0;
    const loop = new Loop({
      name: 'metered',
      everyMs: 1,
      work: () => {
        if (++runs === 1) throw new Error('not yet');
        return 60_000;
      },
      logger: createLogger({ service: 'test', level: 'silent' }),
    });
    loop.start();
    await until(() => runs === 2, { what: 'the second run' });
    await loop.close();
    const metrics = await readMetrics(port);
    const count = (outcome: string): number =>
      metrics.sum('kontoport_loop_run_duration_seconds_count', { kontoport_loop: 'metered', outcome });
    expect([count('done'), count('failed')]).toEqual([1, 1]);
  });

  it('are one series for the same labels, in whichever order they are told', async () => {
    const things = counter({ name: 'test.ordered', help: 'Of a test.' });
    things.add(1, { 'test.a': 'x', 'test.b': 1 });
    things.add(2, { 'test.b': 1, 'test.a': 'x' });
    observableGauge({ name: 'test.told_twice', help: 'Of a test.' }, (observe) => {
      observe(3, { 'test.a': 'x', 'test.b': 1 });
      observe(4, { 'test.b': 1, 'test.a': 'x' });
    });
    const { families } = await readMetrics((await serve('one')).port);
    const labels = { test_a: 'x', test_b: '1' };
    expect(families.get('test_ordered_total')!.series).toEqual([
      { name: 'test_ordered_total', labels, value: 3 },
    ]);
    expect(families.get('test_told_twice')!.series).toEqual([{ name: 'test_told_twice', labels, value: 4 }]);
  });

  it('are 2,000 series of a metric at most, one of them for all others', async () => {
    const things = counter({ name: 'test.invented', help: 'Of a test.' });
    for (const value of Array.from({ length: 2_003 }).keys()) things.add(1, { 'test.kind': value });
    things.add(1, { 'test.kind': 1_998 });
    things.add(1, { 'test.kind': 1_999 });
    const metrics = await readMetrics((await serve('one')).port);
    expect(metrics.families.get('test_invented_total')!.series).toHaveLength(2_000);
    expect(metrics.sum('test_invented_total', { test_kind: '1998' })).toBe(2);
    expect(metrics.sum('test_invented_total', { otel_metric_overflow: 'true' })).toBe(5);
  });

  it('tell nothing of a gauge that is not told any more, and cannot be had while one cannot be read', async () => {
    let told: number | undefined = 0.5;
    observableGauge({ name: 'test.sometimes.seconds', help: 'Of a test.' }, (observe) => {
      if (Number.isNaN(told)) throw new Error('not now');
      if (told !== undefined) observe(told);
    });
    const { port } = await serve('one');
    const series = async () => (await readMetrics(port)).families.get('test_sometimes_seconds')?.series ?? [];
    expect(await series()).toEqual([{ name: 'test_sometimes_seconds', labels: {}, value: 0.5 }]);
    told = undefined;
    expect(await series()).toEqual([]);
    told = NaN;
    const failed = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect([failed.status, await failed.json()]).toEqual([500, { status: 'not collected' }]);
    told = 1;
    expect(await series()).toHaveLength(1);
  });

  it('are no more than their path', async () => {
    const { port } = await serve('one');
    for (const path of ['/metrics/', '/metrics?name=x', '/Metrics'])
      expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(404);
  });
});
