export { commonConfig, ConfigError, duration, flag, key32, list, port, readConfig } from './config.ts';
export { type Closable, Lifecycle } from './lifecycle.ts';
export { createLogger, describeError, flushLogs, type Logger } from './logger.ts';
export { Loop, type LoopOptions } from './loop.ts';
export { type Readiness, startOpsServer } from './ops-server.ts';
