import { createClient, startGrpcServer } from '@kontoport/grpc';
import { openInternalTls } from '@kontoport/internal-tls';
import { createLogger, type Lifecycle, type Logger, Loop, startOpsServer } from '@kontoport/lifecycle';
import { LedgerServiceClient } from '@kontoport/proto/accounts/v1';
import { authenticationRpc, Authentications, stillNeeded } from './authentications.ts';
import { readBankConfig } from './config.ts';
import { Journal } from './journal.ts';
import { loginRpc, Logins } from './logins.ts';
import { startPages } from './pages.ts';
import { paymentRpc, Payments } from './payments.ts';
import { Proofs } from './proofs.ts';
import { seedAccounts } from './seed-accounts.ts';
import { ACCOUNTS } from './users.ts';

const HOST = '127.0.0.1';
const SEED_EVERY_MS = 250;

/** Opens the bank. `/readyz` answers 200 once account-information has its accounts. @throws ConfigError */
export async function runBank(context: {
  env: Record<string, string | undefined>;
  lifecycle: Lifecycle;
}): Promise<{ grpcPort: number; pagesUrl: string; opsPort: number; logger: Logger }> {
  const { env, lifecycle } = context;
  const config = readBankConfig(env);
  const logger = createLogger({ service: 'bank', level: config.LOG_LEVEL });
  const { journal, entries } = await Journal.open(config.JOURNAL, (all) => stillNeeded(all, Date.now()));
  lifecycle.own('journal', journal);
  const tls = openInternalTls({ name: 'bank', config, logger });
  if (tls !== undefined) lifecycle.own(tls.watch.name, tls.watch).start();
  const ledger = createClient(LedgerServiceClient, config.ACCOUNTS_GRPC, tls?.context);
  lifecycle.own('ledger client', { close: async () => ledger.close() });

  const proofs = new Proofs(config.BANK_KEY);
  const authentications = new Authentications(journal, entries);
  const bookingDelayMs = config.BOOKING_DELAY;
  const payments = new Payments({ ledger, authentications, journal, entries, bookingDelayMs });
  let pagesUrl = config.PAGES_URL ?? '';
  const logins = new Logins({ proofs, pagesUrl: () => pagesUrl, userUrl: config.USER_URL });
  const pages = await startPages({ logins, authentications, proofs, logger }, config.PAGES_PORT);
  lifecycle.own('pages', pages);
  pagesUrl ||= `http://localhost:${pages.port}`;
  const rpcs = [
    loginRpc({ logins, logger }),
    authenticationRpc({ authentications, pagesUrl: () => pagesUrl, logger }),
    paymentRpc({ payments, logger }),
  ];
  const grpc = await startGrpcServer({ host: HOST, port: config.GRPC_PORT, rpcs });
  lifecycle.own('gRPC server', grpc);

  let isSeeded = false;
  const seeding = new Loop({
    name: 'accounts',
    everyMs: SEED_EVERY_MS,
    work: async () => {
      if (isSeeded) return;
      await seedAccounts(ledger, ACCOUNTS);
      isSeeded = true;
    },
    logger,
  });
  lifecycle.own('accounts', seeding);
  seeding.start();
  const readiness = { accounts: () => (isSeeded ? undefined : 'not told to account-information yet') };
  const ops = await startOpsServer({ service: 'bank', host: HOST, port: config.OPS_PORT, readiness });
  lifecycle.own('ops server', ops);
  return { grpcPort: grpc.port, pagesUrl, opsPort: ops.port, logger };
}
