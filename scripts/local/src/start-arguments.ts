import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** Addresses that TPPs and users call (contract §4), by their names without `_url`. */
export type EdgeAddress = 'base' | 'registration' | 'auth' | 'user';

/** What `npm start` was asked to do. */
export interface StartArguments {
  help: boolean;
  reset: boolean;
  /** Whether the tour runs once all is ready, and whether the stack ends with it. */
  tour: 'run' | 'skip' | 'run and exit';
  /** Absolute path of the data folder. */
  data: string;
  ports: Record<EdgeAddress, number>;
}

/** A wrong flag or value, in words for the person who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface PortOption {
  flag: string;
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

const option = (flag: string, what: string, standard = ''): string =>
  `  --${flag.padEnd(22)} ${standard === '' ? what : `${what.padEnd(56)} (${standard})`}`;

export const USAGE = `Starts Kontoport on this machine: PostgreSQL, a Kafka broker, the five services, a mutual TLS edge,
and then a tour in which a third party provider uses the bank.

  npm start -- [options]

${[
  option('no-tour', 'start only'),
  option('exit-after-tour', 'stop after the tour, with its exit status'),
  option('reset', 'throw away the data of earlier runs first (databases, keys, certificates)'),
  option('data FOLDER', 'where data, certificates and logs are kept', '.local'),
  ...Object.entries(PORT_OPTIONS).map(([address, { flag, variable, standard }]) =>
    option(`${flag} N`, `port of the ${address} address; or ${variable}=N`, String(standard)),
  ),
  option('help', 'this text'),
].join('\n')}

Port 0 takes any free one. DATABASE_URL and KAFKA_BROKERS replace the embedded PostgreSQL and broker. LOG_LEVEL,
SETTLEMENT_DELAY, WEBHOOK_RETRY_SCHEDULE and OTEL_* reach the services.`;

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
 * Reads the command line; environment variables stand in for absent port flags.
 * @throws UsageError
 */
export function readStartArguments(options: {
  args: string[];
  env: NodeJS.ProcessEnv;
  /** The repository's folder. */
  root: string;
}): StartArguments {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  let values;
  try {
    ({ values } = parseArgs({
      args: options.args,
      options: {
        help: { ...flag, short: 'h' },
        reset: flag,
        'no-tour': flag,
        'exit-after-tour': flag,
        data: text,
        'base-port': text,
        'registration-port': text,
        'auth-port': text,
        'user-port': text,
      },
    }));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  if (values['no-tour'] && values['exit-after-tour'])
    throw new UsageError('--no-tour and --exit-after-tour contradict each other');
  const port = (address: EdgeAddress): number => {
    const option = PORT_OPTIONS[address];
    return readPort(option, values[option.flag as 'base-port'], options.env);
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
    help: values.help,
    reset: values.reset,
    tour: values['no-tour'] ? 'skip' : values['exit-after-tour'] ? 'run and exit' : 'run',
    data: values.data === undefined ? join(options.root, '.local') : resolve(values.data),
    ports,
  };
}
