import { RuntimeNodeInstrumentation } from '@opentelemetry/instrumentation-runtime-node';
import { meterProvider, observableCounter, observableGauge } from './metrics.ts';
import { VERSION } from './version.ts';

/** The services that run in this process; tests start one more than once. */
const running: string[] = [];

/** Measures the event loop, the garbage collector and the heap. */
const runtime = new RuntimeNodeInstrumentation({ enabled: false });
runtime.setMeterProvider(meterProvider);

observableGauge(
  {
    name: 'kontoport.build_info',
    help: 'Always 1; the labels are the service, its version and the version of Node.',
  },
  (observe) => {
    for (const service of new Set(running))
      observe(1, { service, version: VERSION, node: process.versions.node });
  },
);
observableGauge(
  { name: 'process.start_time.seconds', help: 'Start of the process, in seconds since 1970.' },
  (observe) => observe(performance.timeOrigin / 1_000),
);
observableCounter(
  { name: 'process.cpu.time.seconds', help: 'Processor time that the process has used.' },
  (observe) => {
    const { user, system } = process.cpuUsage();
    observe(user / 1_000_000, { 'cpu.mode': 'user' });
    observe(system / 1_000_000, { 'cpu.mode': 'system' });
  },
);
observableGauge({ name: 'process.memory.usage.bytes', help: 'Resident memory.' }, (observe) =>
  observe(process.memoryUsage.rss()),
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
