export { commonConfig, ConfigError, duration, flag, key32, list, port, readConfig } from './config.ts';
export { createLogger, describeError, type Logger } from './logger.ts';
export { type Readiness, startOpsServer } from './ops-server.ts';
export { type Closable, Lifecycle, runService } from './run-service.ts';
