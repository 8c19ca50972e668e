import { join } from 'node:path';
import { untilReady } from '@kontoport/embedded/until-ready';
import type { Lifecycle } from '@kontoport/lifecycle';
import type { InternalCertificates } from './internal-certificates.ts';
import type { StackPorts } from './ports.ts';
import { newSecret } from './secrets.ts';
import { passedOn } from './service-environment.ts';
import { ServiceDied, supervise, type Supervised } from './supervise.ts';

const HOST = '127.0.0.1';
const READY_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 5_000;

/** The example bank of a production stack. */
export interface LocalBank extends Supervised {
  /** Where its users log in and approve. */
  pagesUrl: string;
}

/** Returns the address at which the services reach the bank. */
export function bankAddress({ bank }: StackPorts): string {
  return `${HOST}:${bank.grpc}`;
}

/**
 * Starts the bank in a process of its own. It is ready once account-information has its accounts.
 * @throws ServiceDied when it ends instead
 */
export async function openBank(options: {
  root: string;
  data: string;
  ports: StackPorts;
  userUrl: string;
  inside?: InternalCertificates | undefined;
  env: NodeJS.ProcessEnv;
  logs: string;
  orphanedFile: string;
  signal: AbortSignal;
  lifecycle: Lifecycle;
}): Promise<LocalBank> {
  const { root, data, ports, userUrl, inside, env, logs, orphanedFile, signal, lifecycle } = options;
  const pagesUrl = `http://localhost:${ports.bank.pages}`;
  const supervised = supervise({
    name: 'bank',
    args: ['--disable-warning=ExperimentalWarning', join(root, 'scripts/dev/bank/src/main.ts')],
    env: {
      ...passedOn(env),
      GRPC_PORT: String(ports.bank.grpc),
      PAGES_PORT: String(ports.bank.pages),
      PAGES_URL: pagesUrl,
      OPS_PORT: String(ports.bank.ops),
      USER_URL: userUrl,
      ACCOUNTS_GRPC: `${HOST}:${ports.services['account-information'].grpc}`,
      JOURNAL: join(data, 'bank.journal'),
      BANK_KEY: newSecret(),
      ...inside?.('bank'),
    },
    cwd: root,
    logFile: join(logs, 'bank.log'),
    orphanedFile,
  });
  lifecycle.own('bank', { close: () => supervised.stop(STOP_LIMIT_MS) });
  const failed = new AbortController();
  void supervised.died.then((death) => failed.abort(new ServiceDied(death)));
  await untilReady({
    name: 'bank',
    opsPort: ports.bank.ops,
    limitMs: READY_LIMIT_MS,
    signal: AbortSignal.any([signal, failed.signal]),
  });
  return { ...supervised, pagesUrl };
}
