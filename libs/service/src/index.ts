export { type AdapterTable, type Environment } from './adapters.ts';
export { type Address, ADDRESS_NAMES, ADDRESSES } from './addresses.ts';
export type { App, Webhook } from './app.ts';
export { defineService, type OpenContext, type Service } from './define-service.ts';
export { runService } from './run-service.ts';
export { USAGE_TABLE } from './share-usage.ts';
export { type InProcess, startInProcess } from './start-in-process.ts';
export { shellOf } from './start-service.ts';
