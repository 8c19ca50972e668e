// Loaded before everything else: node --import @kontoport/runtime/otel services/<name>/src/main.ts
// The SDK reads OTEL_*. It is loaded where they name an exporter or a collector, so that a process without one pays nothing.
const { env } = process;
const isNamed = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
  'OTEL_METRICS_EXPORTER',
  'OTEL_LOGS_EXPORTER',
].some((name) => env[name] && env[name] !== 'none');
if (isNamed && env.OTEL_SDK_DISABLED?.toLowerCase() !== 'true') await import('./otel-sdk.ts');
