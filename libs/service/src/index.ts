export { type AdapterTable, type Environment } from './adapters.ts';
export { type Address, ADDRESS_NAMES, ADDRESSES } from './addresses.ts';
export type { App, AppConsumers, Webhook } from './app.ts';
export {
  type ConfigShape,
  defineService,
  type OpenContext,
  type Service,
  type ServiceDefinition,
} from './define-service.ts';
export { runService, type StopLimits } from './run-service.ts';
export { USAGE_TABLE } from './share-usage.ts';
export { type InProcess, startInProcess } from './start-in-process.ts';
export { shellOf, type StartContext, type Started } from './start-service.ts';
