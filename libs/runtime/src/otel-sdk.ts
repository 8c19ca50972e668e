import { ClientRequest } from 'node:http';
import { GrpcInstrumentation } from '@opentelemetry/instrumentation-grpc';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { register, supportsSyncHooks } from 'import-in-the-middle/register-hooks.mjs';

// CommonJS packages imported from ESM are hooked in-thread and synchronously.
if (supportsSyncHooks())
  register({
    include: ['@grpc/grpc-js', 'pg', 'pg-pool', 'http', 'https', 'node:http', 'node:https'],
  });

// Only traces are sent; the other signals would need an endpoint of their own.
process.env.OTEL_METRICS_EXPORTER ??= 'none';
process.env.OTEL_LOGS_EXPORTER ??= 'none';

/** What the platform asks for, over and over. */
const UNTRACED = new Set(['/livez', '/readyz', '/metrics']);

const sdk = new NodeSDK({
  instrumentations: [
    new HttpInstrumentation({
      ignoreIncomingRequestHook: ({ url = '' }) => UNTRACED.has(url),
      // A query can carry what a trace must not keep, too: cursors, amounts, a receiver's own secrets.
      requestHook: (span, request) =>
        span.setAttributes({
          'url.path': '',
          'url.query': '',
          ...(request instanceof ClientRequest ? { 'url.full': `${request.protocol}//${request.host}` } : {}),
        }),
    }),
    new GrpcInstrumentation({ ignoreGrpcMethods: [/Watch/, /Health/, /Check/] }),
    // Kafka is traced by libs/events itself: batch consumers link to the stored context of each record.
    new PgInstrumentation({ requireParentSpan: true }),
    new UndiciInstrumentation({
      requestHook: (span, { origin }) =>
        span.setAttributes({ 'url.full': String(origin), 'url.path': '', 'url.query': '' }),
    }),
  ],
});
sdk.start();

// The last spans of a draining process are sent before it ends.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void sdk.shutdown());
