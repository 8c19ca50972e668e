// Loaded before everything else: node --import @kontoport/runtime/otel services/<name>/src/main.ts
// Without an OTLP endpoint, or switched off, nothing is loaded, and tracing costs nothing.
const { env } = process;
const hasEndpoint = Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
if (hasEndpoint && !isOff) await import('./otel-sdk.ts');
