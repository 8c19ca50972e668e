import type { z } from 'zod';
import type { commonConfig } from './common-config.ts';

/** The environment of a service. */
export type Environment = z.output<typeof commonConfig.ENVIRONMENT>;

/**
 * The implementations of each port, by environment. Only this table depends on the environment. A service refuses to
 * start in an environment with an `undefined` adapter, and names it.
 */
export type AdapterTable<Adapters extends object> = Readonly<
  Record<Environment, { readonly [Name in keyof Adapters]: Adapters[Name] | undefined }>
>;

/** Returns a line for each missing adapter of `environment`. It calls no value of the table. */
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
