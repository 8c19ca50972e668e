import { ConfigError, readConfig } from '@kontoport/config';
import type { Gate } from '@kontoport/gate';
import type { Lifecycle, Logger } from '@kontoport/lifecycle';
import { z } from 'zod';
import { type AdapterTable, missingAdapters } from './adapters.ts';
import type { App } from './app.ts';
import { commonConfig } from './common-config.ts';
import { type ConnectPeer, type StartContext, type Started, startService } from './start-service.ts';
import { stubDeps } from './stub-deps.ts';

/** The variables of a service by name: the common ones and its own. */
export type ConfigShape = typeof commonConfig & z.core.$ZodShape;

/** The context in which a service opens its dependencies. */
export interface OpenContext<Config, Adapters> {
  /** The service's name. */
  service: string;
  config: Config;
  /** The adapters of the environment; none is missing. */
  adapters: Adapters;
  logger: Logger;
  /** Closes what is registered, the last one first. */
  lifecycle: Lifecycle;
  /** Authenticates callers and knows all clients. */
  gate: Gate;
  /**
   * Opens a client of another service's rpcs at `host:port`, with internal TLS where it is enabled. The lifecycle owns
   * it.
   */
  connect: ConnectPeer;
}

/** The definition of a service. */
export interface ServiceDefinition<Shape extends ConfigShape, Adapters extends object, Deps> {
  name: string;
  config: Shape;
  /** Absent when no port of the service has more than one implementation. */
  adapters?: AdapterTable<Adapters>;
  /**
   * Opens the dependencies of the entry points, once and in order. Starts no background work.
   * @throws ConfigError when a variable is unusable
   */
  open(context: OpenContext<z.output<z.ZodObject<Shape>>, Adapters>): Deps | Promise<Deps>;
  /** Lists the entry points, without side effects. */
  app(deps: Deps): App;
}

/** A service that can be started, by `runService` as a process or by `startInProcess` in a test. */
export interface Service<Deps = unknown> {
  readonly name: string;
  /** The entry points, for documentation. Nothing is opened, and no handler may be called. */
  entryPoints(): App;
  /** Starts the service. `context.lifecycle` owns what was opened, also after a failed start. */
  start(context: StartContext): Promise<Started<Deps>>;
}

/**
 * Makes a service from its definition.
 * @example
 * export const payments = defineService({ name: 'payments', config, adapters, open: openDeps, app });
 */
export function defineService<Shape extends ConfigShape, Adapters extends object, Deps>(
  definition: ServiceDefinition<Shape, Adapters, Deps>,
): Service<Deps> {
  return {
    name: definition.name,
    entryPoints: () => definition.app(stubDeps() as Deps),
    start: (context) =>
      startService({
        name: definition.name,
        context,
        read: () => readSettings(definition, context.env),
        open: (common, settings) => definition.open({ ...common, ...settings }),
        app: (deps) => definition.app(deps),
      }),
  };
}

/** Reads variables and adapters. @throws ConfigError with all missing and malformed ones */
function readSettings<Shape extends ConfigShape, Adapters extends object, Deps>(
  { name: service, config: shape, adapters: table }: ServiceDefinition<Shape, Adapters, Deps>,
  env: StartContext['env'],
): { config: z.output<z.ZodObject<Shape>>; adapters: Adapters } {
  const { data: environment } = commonConfig.ENVIRONMENT.safeParse(env.ENVIRONMENT);
  const missing = table && environment ? missingAdapters({ service, table, environment }) : [];
  try {
    const config = readConfig(shape, env);
    if (missing.length > 0) throw new ConfigError([]);
    // No adapter is missing here.
    return { config, adapters: (table && environment ? table[environment] : {}) as Adapters };
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError([...error.faults, ...missing]);
    throw error;
  }
}
