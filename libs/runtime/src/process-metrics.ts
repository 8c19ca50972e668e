import {
  monitorEventLoopDelay,
  performance,
  type PerformanceEntry,
  PerformanceObserver,
} from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import { durationsOf, gaugeOf, sumOf } from './metrics.ts';
import { Tally } from './tally.ts';
import { VERSION } from './version.ts';

/** How long the quantiles of a window stand: whoever collects, and however many do, reads the same. */
const WINDOW_MS = 15_000;
/** Between two looks at the event loop. */
const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

const QUANTILES = ['p50', 'p99', 'max'] as const;
const GC_TYPES: Readonly<Record<number, string>> = { 1: 'minor', 4: 'major', 8: 'incremental', 16: 'weakcb' };

/** What runs in this process, by service. */
const running = new Tally();
let monitors: { stop(): void } | undefined;
/** Of the last whole window, in seconds. */
let delays: Readonly<Record<(typeof QUANTILES)[number], number>> = { p50: 0, p99: 0, max: 0 };

const collections = durationsOf({ name: 'v8js.gc.duration', help: 'How long the garbage collector ran.' });
gaugeOf(
  { name: 'kontoport.build_info', help: 'Always 1; which service runs, of which version, on which Node.' },
  (tell) => {
    for (const [service] of running.entries())
      tell(1, { service, version: VERSION, node: process.versions.node });
  },
);
gaugeOf(
  { name: 'process.start_time.seconds', help: 'When the process began, in seconds since 1970.' },
  (tell) => tell(performance.timeOrigin / 1_000),
);
sumOf({ name: 'process.cpu.time.seconds', help: 'Processor time that the process has used.' }, (tell) => {
  const { user, system } = process.cpuUsage();
  tell(user / MICROSECONDS, { 'cpu.mode': 'user' });
  tell(system / MICROSECONDS, { 'cpu.mode': 'system' });
});
gaugeOf({ name: 'process.memory.usage.bytes', help: 'Resident memory.' }, (tell) =>
  tell(process.memoryUsage.rss()),
);
gaugeOf({ name: 'v8js.memory.heap.used.bytes', help: 'Memory in use in each space of the heap.' }, (tell) => {
  for (const { space_name: name, space_used_size: used } of getHeapSpaceStatistics())
    tell(used, { 'v8js.heap.space.name': name });
});
sumOf(
  { name: 'nodejs.eventloop.time.seconds', help: 'Time that the event loop was active, and idle.' },
  (tell) => {
    const { active, idle } = performance.eventLoopUtilization();
    tell(active / 1_000, { 'nodejs.eventloop.state': 'active' });
    tell(idle / 1_000, { 'nodejs.eventloop.state': 'idle' });
  },
);
for (const name of QUANTILES)
  gaugeOf(
    {
      name: `nodejs.eventloop.delay.${name}.seconds`,
      help: `How late the event loop was in the last whole ${WINDOW_MS / 1_000} seconds: ${name}.`,
    },
    (tell) => tell(delays[name]),
  );

/**
 * Names a service that runs in this process, in `kontoport_build_info`; the event loop and the garbage collector are watched
 * while there is one.
 * @returns takes the name back
 */
export function observeProcess(service: string): () => void {
  running.add(service, 1);
  monitors ??= watch();
  return () => {
    running.add(service, -1);
    if (running.size > 0) return;
    monitors?.stop();
    monitors = undefined;
  };
}

function watch(): { stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  // The monitor counts the time between two looks; what is over is delay.
  const seconds = (nanoseconds: number): number =>
    Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1_000);
  const windows = setInterval(() => {
    const [p50, p99, max] = [delay.percentile(50), delay.percentile(99), delay.max];
    delays = { p50: seconds(p50), p99: seconds(p99), max: seconds(max) };
    delay.reset();
  }, WINDOW_MS).unref();
  const collector = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as PerformanceEntry & { detail: { kind: number } };
      collections.record(entry.duration, { 'v8js.gc.type': GC_TYPES[detail.kind] ?? 'other' });
    }
  });
  collector.observe({ entryTypes: ['gc'] });
  return {
    stop() {
      clearInterval(windows);
      collector.disconnect();
      delay.disable();
    },
  };
}
