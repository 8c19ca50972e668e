import type { z } from 'zod';
import type { commonConfig } from './common-config.ts';

/** Where a service runs. */
export type Environment = z.output<typeof commonConfig.ENVIRONMENT>;

/**
 * Which implementation stands behind each port, by environment: the one place where the environment decides. A port
 * without implementation is `undefined`; the service then refuses to start in that environment and names it.
 */
export type AdapterTable<Adapters extends object> = Readonly<
  Record<Environment, { readonly [Name in keyof Adapters]: Adapters[Name] | undefined }>
>;

/** What is missing for `environment`, one line per adapter; values of the table are never called. */
export function missingAdapters(options: {
  service: string;
  table: AdapterTable<object>;
  environment: Environment;
}): string[] {
  const { service, table, environment } = options;
  return Object.entries(table[environment])
    .filter(([, adapter]) => adapter === undefined)
    .map(([name]) => `ENVIRONMENT: ${service} has no adapter "${name}" for ${environment}`);
}
