export { shutdownTelemetry } from './shutdown-telemetry.ts';
export {
  activeSpanContext,
  activeTraceparent,
  continueTrace,
  endSpanAfter,
  parseTraceparent,
  traceparentOf,
  tracer,
  withTrace,
} from './trace-context.ts';
export {
  counter,
  durationHistogram,
  observableGauge,
  upDownCounter,
  METRICS_CONTENT_TYPE,
  metricsText,
} from './metrics.ts';
export { observeProcess } from './process-metrics.ts';
