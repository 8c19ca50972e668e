import { join, resolve } from 'node:path';
import { UsageError } from '@kontoport/command';

/** Addresses that TPPs and users call (contract §4), by their names without `_url`. */
export type EdgeAddress = 'base' | 'registration' | 'auth' | 'user';

/** The arguments of `kontoport start`. */
export interface StartArguments {
  reset: boolean;
  /** Whether the tour runs once all is ready, and whether the stack ends with it. */
  tour: 'run' | 'skip' | 'run and exit';
  /** Absolute path of the data folder. */
  data: string;
  ports: Record<EdgeAddress, number>;
  /** The laptop broker, or Apache Kafka, which enforces TLS, SASL and access as production must. */
  kafka: 'embedded' | 'apache';
  /** The sandbox, or production with the example bank. */
  environment: 'sandbox' | 'production';
  /** Processes of each service. Ended ones start again if there are several. */
  replicas: number;
  /** The stack's edge, or none: the user's own proxy listens at the four ports. */
  edge: 'own' | 'none';
  /** Absolute path of bundles that docker/src/bundle.ts has made: services run as in their images. */
  bundles: string | undefined;
}

interface PortOption {
  flag: `${EdgeAddress}-port`;
  variable: string;
  standard: number;
}

/** Option, variable and default of each port. */
export const PORT_OPTIONS: Record<EdgeAddress, PortOption> = {
  base: { flag: 'base-port', variable: 'BASE_PORT', standard: 8443 },
  registration: { flag: 'registration-port', variable: 'REGISTRATION_PORT', standard: 8444 },
  auth: { flag: 'auth-port', variable: 'AUTH_PORT', standard: 8445 },
  user: { flag: 'user-port', variable: 'USER_PORT', standard: 8446 },
};

/** The options of `kontoport start`. */
export interface StartOptions {
  tour: boolean;
  exitAfterTour?: boolean;
  reset?: boolean;
  production?: boolean;
  data?: string;
  kafka: 'embedded' | 'apache';
  edge: 'own' | 'none';
  bundles?: string;
  replicas?: string;
  basePort?: string;
  registrationPort?: string;
  authPort?: string;
  userPort?: string;
}

function readPort(
  { flag, variable, standard }: PortOption,
  given: string | undefined,
  env: NodeJS.ProcessEnv,
): number {
  const text = given ?? env[variable];
  if (text === undefined || text === '') return standard;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new UsageError(`${given === undefined ? variable : `--${flag}`} must be a port from 0 to 65535`);
  return port;
}

const MAX_REPLICAS = 5;

function readReplicas(text = '1'): number {
  const replicas = Number(text);
  if (!/^\d$/.test(text) || replicas < 1 || replicas > MAX_REPLICAS)
    throw new UsageError(`--replicas must be a number from 1 to ${MAX_REPLICAS}`);
  return replicas;
}

/**
 * Reads the options. Environment variables replace absent ports.
 * @throws UsageError
 */
export function readStartArguments({
  options,
  env,
  root,
}: {
  options: StartOptions;
  env: NodeJS.ProcessEnv;
  /** The repository's folder. */
  root: string;
}): StartArguments {
  const {
    tour,
    exitAfterTour = false,
    reset = false,
    production = false,
    data,
    kafka,
    edge,
    bundles,
  } = options;
  if (!tour && exitAfterTour) throw new UsageError('--no-tour and --exit-after-tour contradict each other');
  if (production && exitAfterTour)
    throw new UsageError('--production has no tour to end after: the tour is of the sandbox');
  if (kafka === 'apache' && env.KAFKA_BROKERS)
    throw new UsageError('--kafka apache and KAFKA_BROKERS contradict each other');
  if (edge === 'none' && exitAfterTour)
    throw new UsageError(
      '--edge none and --exit-after-tour contradict each other: the tour needs your proxy',
    );
  if (edge === 'own' && (env.EDGE_FORMAT ?? 'rfc9440') !== 'rfc9440')
    throw new UsageError(
      `EDGE_FORMAT=${env.EDGE_FORMAT} needs --edge none: the edge of the stack sends rfc9440`,
    );
  const port = (address: EdgeAddress): number =>
    readPort(PORT_OPTIONS[address], options[`${address}Port`], env);
  const ports = {
    base: port('base'),
    registration: port('registration'),
    auth: port('auth'),
    user: port('user'),
  };
  const chosen = Object.values(ports).filter((number) => number !== 0);
  if (new Set(chosen).size !== chosen.length) throw new UsageError('each address needs a port of its own');
  return {
    reset,
    tour: !tour || production || edge === 'none' ? 'skip' : exitAfterTour ? 'run and exit' : 'run',
    data: data === undefined ? join(root, production ? '.local/production' : '.local') : resolve(data),
    ports,
    kafka,
    edge,
    replicas: readReplicas(options.replicas),
    environment: production ? 'production' : 'sandbox',
    bundles: bundles === undefined ? undefined : resolve(bundles),
  };
}
