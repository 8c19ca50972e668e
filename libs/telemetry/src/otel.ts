// Loaded before everything else: node --import @kontoport/telemetry/otel services/<name>/src/main.ts
// The SDK reads OTEL_*. It is loaded where they name a collector or an exporter, so that a process without one pays nothing.
const { env } = process;
const isNamed = (exporter: string | undefined): boolean => Boolean(exporter) && exporter !== 'none';
const { OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = env;
const isAsked = [
  OTEL_TRACES_EXPORTER || OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
  env.OTEL_METRICS_EXPORTER,
  env.OTEL_LOGS_EXPORTER,
].some(isNamed);
if (isAsked && env.OTEL_SDK_DISABLED?.toLowerCase() !== 'true') await import('./otel-sdk.ts');
