import type { IncomingMessage } from 'node:http';
import { type Attributes, context, propagation } from '@opentelemetry/api';
import { GrpcInstrumentation } from '@opentelemetry/instrumentation-grpc';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { PinoInstrumentation } from '@opentelemetry/instrumentation-pino';
import { RuntimeNodeInstrumentation } from '@opentelemetry/instrumentation-runtime-node';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { AggregationType } from '@opentelemetry/sdk-metrics';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { register } from 'import-in-the-middle/register-hooks.mjs';
import { redactedTracers } from './redacted-tracers.ts';
import './trace-context.ts';
import { onShutdown } from './shutdown-telemetry.ts';

const { env } = process;
// Defaults of ours: no metrics or logs unless configured, no command line or user in the resource, and faults are reported.
const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = env;
if (!OTEL_EXPORTER_OTLP_ENDPOINT && !OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) env.OTEL_TRACES_EXPORTER ||= 'none';
env.OTEL_METRICS_EXPORTER ||= 'none';
env.OTEL_LOGS_EXPORTER ||= 'none';
env.OTEL_NODE_RESOURCE_DETECTORS ||= 'env,host,serviceinstance';
env.OTEL_LOG_LEVEL ||= 'warn';

register({ include: ['pg', 'pg-pool', '@grpc/grpc-js', 'pino', 'http', 'https'] });

/** Probes and scrapes: the ops server's own paths. */
const OPS_PATHS = new Set(['/livez', '/readyz', '/metrics']);

/** Calls that never end, and polls. */
const UNTRACED_METHODS = ['Watch', 'Check', 'ListMovedClocks'];

/** Paths carry ids. An attribute that is undefined is not recorded. */
const NO_PATH: Attributes = { 'url.path': undefined, 'url.query': undefined };

/** Headers and addresses are the caller's; libs/http adds the route of the request. */
const NO_CALLER: Attributes = {
  ...NO_PATH,
  'client.address': undefined,
  'network.peer.address': undefined,
  'network.peer.port': undefined,
  'server.address': undefined,
  'server.port': undefined,
  'user_agent.original': undefined,
};

/** Both forms of B3: its propagator reads both, whichever it writes. */
const B3 = ['b3', 'x-b3-traceid', 'x-b3-spanid', 'x-b3-parentspanid', 'x-b3-sampled', 'x-b3-flags'];

/**
 * Begins the span of a request. Whether it is recorded, and in which trace, is never the caller's choice: what it sends of its
 * own trace is dropped.
 */
function startIncomingSpan({ headers }: IncomingMessage): Attributes {
  for (const field of [...propagation.fields(), ...B3]) delete headers[field];
  return NO_CALLER;
}

/** Nothing is wrapped where metrics or logs alone are exported. */
const tracing =
  env.OTEL_TRACES_EXPORTER === 'none'
    ? []
    : [
        new HttpInstrumentation({
          ignoreIncomingRequestHook: ({ url = '' }) => OPS_PATHS.has(url),
          startIncomingSpanHook: (request) => startIncomingSpan(request as IncomingMessage),
          disableOutgoingRequestInstrumentation: true,
        }),
        new GrpcInstrumentation({ ignoreGrpcMethods: UNTRACED_METHODS }),
        new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
        new UndiciInstrumentation({
          requireParentforSpans: true,
          startSpanHook: ({ origin }) => ({ ...NO_PATH, 'url.full': origin }),
        }),
      ];

const sdk = new NodeSDK({
  instrumentations: [
    tracing,
    new PinoInstrumentation({
      disableLogCorrelation: true,
      disableLogSending: env.OTEL_LOGS_EXPORTER === 'none',
    }),
    new RuntimeNodeInstrumentation(),
  ],
  // Our own metrics measure the same, by the route list's labels.
  views: ['http', 'pg', 'undici'].map((name) => ({
    meterName: `@opentelemetry/instrumentation-${name}`,
    aggregation: { type: AggregationType.DROP },
  })),
});
// The SDK registers a context manager in place of that of `trace-context.ts`.
context.disable();
sdk.start();
for (const instrumentation of tracing) instrumentation.setTracerProvider(redactedTracers);
onShutdown(() => sdk.shutdown());
