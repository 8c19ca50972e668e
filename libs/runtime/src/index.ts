export { ConfigError } from './config-error.ts';
export { commonConfig, count, duration, flag, key32, keys32, list, port, readConfig } from './config.ts';
export type { ErrorLog, LiveValue } from './live.ts';
export { type Given, liveSecret, secret, secretsOf, together } from './traits.ts';
export {
  type InternalTls,
  internalTlsConfig,
  type InternalTlsConfig,
  openInternalTls,
} from './internal-tls.ts';
export { isOneOf, namesOf, noteCertificate, type Peer, PEERS, peerOf } from './peers.ts';
export { isLoopback, liveContext, liveTls, tlsFaults, type TlsOptions } from './tls-files.ts';
export { type Closable, Lifecycle } from './lifecycle.ts';
export { createLogger, describeError, flushLogs, type Logger } from './logger.ts';
export { Loop, type LoopOptions } from './loop.ts';
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
export { counterOf, type Durations, durationsOf, gaugeOf, type Labels, levelOf } from './metrics.ts';
export { type Readiness, startOpsServer } from './ops-server.ts';
export { Tally } from './tally.ts';
