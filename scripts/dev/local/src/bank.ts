import { join } from 'node:path';
import type { InternalCertificates } from './internal-certificates.ts';
import type { StackPorts } from './ports.ts';
import { newSecret } from './secrets.ts';
import { passedOn } from './service-environment.ts';

const HOST = '127.0.0.1';

/** Returns the address at which the services reach the bank. */
export function bankAddress({ bank }: StackPorts): string {
  return `${HOST}:${bank.grpc}`;
}

/** Returns the address at which users log in and approve. */
export function bankPages({ bank }: StackPorts): string {
  return `http://localhost:${bank.pages}`;
}

/** Returns the environment of the example bank. */
export function bankEnvironment(options: {
  data: string;
  ports: StackPorts;
  userUrl: string;
  inside: InternalCertificates | undefined;
  env: NodeJS.ProcessEnv;
}): Record<string, string> {
  const { data, ports, userUrl, inside, env } = options;
  return {
    ...passedOn(env),
    GRPC_PORT: String(ports.bank.grpc),
    PAGES_PORT: String(ports.bank.pages),
    PAGES_URL: bankPages(ports),
    OPS_PORT: String(ports.bank.ops),
    USER_URL: userUrl,
    ACCOUNTS_GRPC: `${HOST}:${ports.services['account-information'].grpc}`,
    JOURNAL: join(data, 'bank.journal'),
    BANK_KEY: newSecret(),
    ...inside?.('bank'),
  };
}
