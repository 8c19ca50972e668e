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

/** What a service may build on when it opens what it needs. */
export interface OpenContext<Config, Adapters> {
  /** The service's name. */
  service: string;
  config: Config;
  /** The adapters of the environment; none is missing. */
  adapters: Adapters;
  logger: Logger;
  /** Takes everything that must be closed again; what was opened last is closed first. */
  lifecycle: Lifecycle;
  /** Decides who is calling; knows all clients. */
  gate: Gate;
  /** Opens a client of another service's rpcs at `host:port`, by internal TLS where there is any; it is owned already. */
  connect: ConnectPeer;
}

/** What a service says of itself; the rest is the same for all. */
export interface ServiceDefinition<Shape extends ConfigShape, Adapters extends object, Deps> {
  name: string;
  config: Shape;
  /** Absent when no port of the service has more than one implementation. */
  adapters?: AdapterTable<Adapters>;
  /**
   * Opens what the entry points use, once and in order, and starts nothing that runs by itself.
   * @throws ConfigError when a variable turns out to be unusable
   */
  open(context: OpenContext<z.output<z.ZodObject<Shape>>, Adapters>): Deps | Promise<Deps>;
  /** Lists everything that runs; it must not do anything yet. */
  app(deps: Deps): App;
}

/** A service that can be started, by `runService` as a process or by `startInProcess` in a test. */
export interface Service<Deps = unknown> {
  readonly name: string;
  /** What the service serves and runs, for whoever reads the list; nothing is opened, and nothing of it may be called. */
  entryPoints(): App;
  /** Starts everything in the one order; `context.lifecycle` owns what was opened, also when it fails half-way. */
  start(context: StartContext): Promise<Started<Deps>>;
}

/**
 * Makes a service of its definition.
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

/** Variables and adapters. @throws ConfigError naming everything that is missing or malformed, in one go */
function readSettings<Shape extends ConfigShape, Adapters extends object, Deps>(
  { name: service, config: shape, adapters: table }: ServiceDefinition<Shape, Adapters, Deps>,
  env: StartContext['env'],
): { config: z.output<z.ZodObject<Shape>>; adapters: Adapters } {
  const { data: environment } = commonConfig.ENVIRONMENT.safeParse(env.ENVIRONMENT);
  const missing = table && environment ? missingAdapters({ service, table, environment }) : [];
  try {
    const config = readConfig(shape, env);
    if (missing.length > 0) throw new ConfigError([]);
    // None is missing in this row.
    return { config, adapters: (table && environment ? table[environment] : {}) as Adapters };
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError([...error.faults, ...missing]);
    throw error;
  }
}
