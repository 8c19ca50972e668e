import { diag, DiagConsoleLogger, DiagLogLevel, trace } from '@opentelemetry/api';
import {
  defaultResource,
  detectResources,
  hostDetector,
  resourceAttributesEnvDetector,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { collectorAgent } from './collector-agent.ts';
import { samplerOf } from './door-sampler.ts';
import { sendLastSpansBy } from './last-spans.ts';
import { createLogger } from './logger.ts';
import { ensureManager } from './trace-context.ts';
import { readTracing } from './tracing-settings.ts';

const { env } = process;
// What the SDK says of itself, such as why nothing arrives, to whoever asks for it.
const level = Object.entries(DiagLogLevel).find(([name]) => name === env.OTEL_LOG_LEVEL?.toUpperCase())?.[1];
if (typeof level === 'number') diag.setLogger(new DiagConsoleLogger(), { logLevel: level });

const { sampling, protocol, tls, batches, faults } = readTracing(env);
if (faults.length > 0)
  createLogger({ service: env.OTEL_SERVICE_NAME ?? 'tracing' }).warn(
    { faults },
    'tracing settings passed over',
  );

// They read where to send it themselves, and with which headers.
const { OTLPTraceExporter } = await (protocol === 'http/json'
  ? import('@opentelemetry/exporter-trace-otlp-http')
  : import('@opentelemetry/exporter-trace-otlp-proto'));
/** As long as the SDK waits for an answer by itself. */
const { exportTimeoutMillis: limitMs = 30_000 } = batches;
const exporter = new OTLPTraceExporter({ httpAgentOptions: collectorAgent({ tls, limitMs }) });
const provider = new TracerProvider({
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
  sampler: samplerOf(sampling),
  spanProcessors: [new BatchSpanProcessor({ exporter, ...batches })],
});
ensureManager();
trace.setGlobalTracerProvider(provider);
sendLastSpansBy(() => provider.shutdown());
