export { shutdownTelemetry } from './shutdown-telemetry.ts';
export {
  activeSpanContext,
  activeTraceparent,
  continueTrace,
  endedBy,
  parseTraceparent,
  traceparentOf,
  tracer,
  withTrace,
} from './trace-context.ts';
export {
  counterOf,
  type Durations,
  durationsOf,
  gaugeOf,
  type Labels,
  levelOf,
  METRICS_TYPE,
  metricsText,
} from './metrics.ts';
export { observeProcess } from './process-metrics.ts';
