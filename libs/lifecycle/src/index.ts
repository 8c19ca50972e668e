export { type Closable, Lifecycle } from './lifecycle.ts';
export { createLogger, describeError, flushLogs, type Logger } from './logger.ts';
export { Loop } from './loop.ts';
export { type Readiness, startOpsServer } from './ops-server.ts';
