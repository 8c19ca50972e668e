import { RuntimeNodeInstrumentation } from '@opentelemetry/instrumentation-runtime-node';
import { gaugeOf, meterProvider, sumOf } from './metrics.ts';
import { VERSION } from './version.ts';

/** The services that run in this process; tests start one more than once. */
const running: string[] = [];

/** Measures the event loop, the garbage collector and the heap. */
const runtime = new RuntimeNodeInstrumentation({ enabled: false });
runtime.setMeterProvider(meterProvider);

gaugeOf(
  { name: 'kontoport.build_info', help: 'Always 1; which service runs, of which version, on which Node.' },
  (tell) => {
    for (const service of new Set(running))
      tell(1, { service, version: VERSION, node: process.versions.node });
  },
);
gaugeOf(
  { name: 'process.start_time.seconds', help: 'When the process began, in seconds since 1970.' },
  (tell) => tell(performance.timeOrigin / 1_000),
);
sumOf({ name: 'process.cpu.time.seconds', help: 'Processor time that the process has used.' }, (tell) => {
  const { user, system } = process.cpuUsage();
  tell(user / 1_000_000, { 'cpu.mode': 'user' });
  tell(system / 1_000_000, { 'cpu.mode': 'system' });
});
gaugeOf({ name: 'process.memory.usage.bytes', help: 'Resident memory.' }, (tell) =>
  tell(process.memoryUsage.rss()),
);

/**
 * Names a service that runs in this process, in `kontoport_build_info`; the runtime is measured while there is one.
 * @returns takes the name back
 */
export function observeProcess(service: string): () => void {
  if (running.length === 0) runtime.enable();
  running.push(service);
  return () => {
    running.splice(running.indexOf(service), 1);
    if (running.length === 0) runtime.disable();
  };
}
