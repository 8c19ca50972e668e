import { diag, DiagConsoleLogger, DiagLogLevel } from '@opentelemetry/api';
import {
  defaultResource,
  detectResources,
  hostDetector,
  resourceAttributesEnvDetector,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import { Collector } from './collector.ts';
import { sendLastSpansBy } from './last-spans.ts';
import { createLogger } from './logger.ts';
import { samplerOf } from './sampling.ts';
import { recordBy } from './spans.ts';
import { readTracing } from './tracing-settings.ts';
import { VERSION } from './version.ts';

const { env } = process;
// What the SDK says of itself, such as why nothing arrives, to whoever asks for it.
const level = Object.entries(DiagLogLevel).find(([name]) => name === env.OTEL_LOG_LEVEL?.toUpperCase())?.[1];
if (typeof level === 'number') diag.setLogger(new DiagConsoleLogger(), { logLevel: level });

const { sampling, collector, batches, faults } = readTracing(env);
const logger = createLogger({ service: env.OTEL_SERVICE_NAME ?? 'tracing' });
if (faults.length > 0) logger.warn({ faults }, 'tracing settings that cannot be used');
if (collector !== undefined) {
  const { exportTimeoutMillis = 30_000 } = batches;
  // What the SDK no longer waits for would pile up beside what it sends meanwhile.
  const limitMs = Math.min(collector.limitMs, exportTimeoutMillis);
  const exporter = new Collector({ ...collector, limitMs }, logger);
  const batch = new BatchSpanProcessor({ exporter, ...batches, exportTimeoutMillis });
  recordBy({
    records: samplerOf(sampling),
    take: (span) => batch.onEnd(span),
    // Whose spans they are, not how it was started: a command line and paths are nobody's business there.
    resource: defaultResource().merge(
      detectResources({
        detectors: [
          serviceInstanceIdDetector,
          hostDetector,
          resourceAttributesEnvDetector,
          serviceNameEnvDetector,
        ],
      }),
    ),
    instrumentationScope: { name: '@kontoport/runtime', version: VERSION },
  });
  sendLastSpansBy(() => batch.shutdown());
}
