import { join, resolve } from 'node:path';
import { type Call, UsageError } from '@kontoport/command';

/** Addresses that TPPs and users call (contract §4), by their names without `_url`. */
export type EdgeAddress = 'base' | 'registration' | 'auth' | 'user';

/** What `kontoport start` was asked to do. */
export interface StartArguments {
  reset: boolean;
  /** Whether the tour runs once all is ready, and whether the stack ends with it. */
  tour: 'run' | 'skip' | 'run and exit';
  /** Absolute path of the data folder. */
  data: string;
  ports: Record<EdgeAddress, number>;
  /** Our own small broker, or the real one, which enforces TLS, SASL and access as production must. */
  kafka: 'embedded' | 'apache';
  /** The sandbox, or production before the example bank. */
  environment: 'sandbox' | 'production';
  /** Absolute path of a folder that docker/src/bundle.ts has made: services run as their images hold them. */
  bundles: string | undefined;
}

interface PortOption {
  flag: `${EdgeAddress}-port`;
  variable: string;
  standard: number;
}

/** How the port of each address is chosen. */
export const PORT_OPTIONS: Record<EdgeAddress, PortOption> = {
  base: { flag: 'base-port', variable: 'BASE_PORT', standard: 8443 },
  registration: { flag: 'registration-port', variable: 'REGISTRATION_PORT', standard: 8444 },
  auth: { flag: 'auth-port', variable: 'AUTH_PORT', standard: 8445 },
  user: { flag: 'user-port', variable: 'USER_PORT', standard: 8446 },
};

const portOption = (address: EdgeAddress) =>
  ({
    type: 'string',
    value: 'N',
    summary: `port of the ${address} address; or ${PORT_OPTIONS[address].variable}=N`,
    standard: String(PORT_OPTIONS[address].standard),
  }) as const;

/** What `kontoport start` understands. */
export const START_OPTIONS = {
  'no-tour': { type: 'boolean', summary: 'start only' },
  'exit-after-tour': { type: 'boolean', summary: 'stop after the tour, with its exit status' },
  reset: {
    type: 'boolean',
    summary: 'throw away the data of earlier runs first (databases, keys, certificates)',
  },
  production: {
    type: 'boolean',
    summary: 'as production runs, before the example bank of scripts/bank; without a tour',
  },
  data: {
    type: 'string',
    value: 'FOLDER',
    summary: 'where data, certificates and logs are kept',
    standard: '.local, or .local/production',
  },
  kafka: {
    type: 'string',
    value: 'KIND',
    summary: 'embedded, or apache: the real one, by Java',
    standard: 'embedded',
  },
  bundles: {
    type: 'string',
    value: 'FOLDER',
    summary: 'bundles that docker/src/bundle.ts made, instead of the sources',
  },
  'base-port': portOption('base'),
  'registration-port': portOption('registration'),
  'auth-port': portOption('auth'),
  'user-port': portOption('user'),
} as const;

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

/**
 * What the options mean; environment variables stand in for absent ports.
 * @throws UsageError
 */
export function readStartArguments(options: {
  values: Call<typeof START_OPTIONS>['values'];
  env: NodeJS.ProcessEnv;
  /** The repository's folder. */
  root: string;
}): StartArguments {
  const { values, env, root } = options;
  if (values['no-tour'] && values['exit-after-tour'])
    throw new UsageError('--no-tour and --exit-after-tour contradict each other');
  if (values.production && values['exit-after-tour'])
    throw new UsageError('--production has no tour to end after: the tour is of the sandbox');
  const { kafka = 'embedded' } = values;
  if (kafka !== 'embedded' && kafka !== 'apache')
    throw new UsageError('--kafka must be "embedded" or "apache"');
  if (kafka === 'apache' && env.KAFKA_BROKERS)
    throw new UsageError('--kafka apache and KAFKA_BROKERS contradict each other');
  const port = (address: EdgeAddress): number => {
    const option = PORT_OPTIONS[address];
    return readPort(option, values[option.flag], env);
  };
  const ports = {
    base: port('base'),
    registration: port('registration'),
    auth: port('auth'),
    user: port('user'),
  };
  const chosen = Object.values(ports).filter((number) => number !== 0);
  if (new Set(chosen).size !== chosen.length) throw new UsageError('each address needs a port of its own');
  return {
    reset: values.reset,
    tour:
      values['no-tour'] || values.production ? 'skip' : values['exit-after-tour'] ? 'run and exit' : 'run',
    data:
      values.data === undefined
        ? join(root, values.production ? '.local/production' : '.local')
        : resolve(values.data),
    ports,
    kafka,
    environment: values.production ? 'production' : 'sandbox',
    bundles: values.bundles === undefined ? undefined : resolve(values.bundles),
  };
}
