// Loaded before everything else: node --import @kontoport/runtime/otel services/<name>/src/main.ts
// Without an OTLP endpoint nothing is loaded, and tracing costs nothing.
if (process.env.OTEL_EXPORTER_OTLP_ENDPOINT || process.env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
  await import('./otel-sdk.ts');
