import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CliCommand, exits, InputError, mayRewrite, shown, UsageError } from '@kontoport/command';

const STACK = join(import.meta.dirname, '../../../../.local/stack.json');
/** Time to retry while the ledger is unreachable. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 500;
const SHOW_EVERY_MS = 250;
const ACCOUNTS = 100;

/** `kontoport feed`: streams transactions into the ledger, as a bank does. */
export const feedCommand = new CliCommand('feed')
  .summary('streams a file of transactions into the ledger')
  .description(
    `Streams a file of accounts and transactions into LedgerService.Ingest. After a crash of either side, run it again: it continues after the last confirmed line.

FILE holds a JSON object in each line: {"account": …}, {"post": …}, {"authorize": …}, {"initiate": …}, {"schedule": …}, {"settle": …}, {"fail": …}, {"void": …} or {"enrich": …}, with the fields of the request of that name. FILE.state has the last confirmed line, FILE.refused the refused lines with their reasons.

If account-information requires internal TLS, set INTERNAL_TLS_CERT_FILE, INTERNAL_TLS_KEY_FILE and INTERNAL_TLS_CA_FILE to a certificate with the name "bank".`,
  )
  .argument('<FILE>')
  .option('--address <HOST:PORT>', 'gRPC server of account-information (default: the local stack)')
  .option('--make <N>', 'write a practice FILE instead: N transactions on 100 accounts')
  .addHelpText('after', '\nExample: npx kontoport feed practice.jsonl --make 10000')
  .action(
    exits(async (name: string, { address, make }: { address?: string; make?: string }) => {
      const file = resolve(name);
      if (make !== undefined) {
        if (!/^[1-9][0-9]{0,8}$/.test(make))
          throw new UsageError('--make takes a number from 1 to 999999999');
        const { makeFile } = await import('./make-file.ts');
        await makeFile(file, { transactions: Number(make), accounts: ACCOUNTS });
        console.log(`${shown(file)} holds ${make} transactions on ${ACCOUNTS} accounts.`);
        return 0;
      }
      return feed(file, { address: address ?? ledgerOfStack(), env: process.env });
    }),
  );

function ledgerOfStack(): string {
  if (!existsSync(STACK))
    throw new InputError('no stack runs here. Start one with npm start, or give --address HOST:PORT.');
  const { services } = JSON.parse(readFileSync(STACK, 'utf8')) as {
    services: { name: string; grpc?: string }[];
  };
  const grpc = services.find(({ name }) => name === 'account-information')?.grpc;
  if (grpc === undefined) throw new InputError(`${shown(STACK)} names no ledger: give --address HOST:PORT.`);
  return grpc;
}

async function feed(
  file: string,
  { address, env }: { address: string; env: NodeJS.ProcessEnv },
): Promise<number> {
  const [{ feedOnce }, { readState }, { openInside }] = await Promise.all([
    import('./feed-file.ts'),
    import('./feed-state.ts'),
    import('./open-inside.ts'),
  ]);
  const tls = openInside(env);
  const { size } = statSync(file);
  const state = readState(file);
  if (state.offset > size)
    throw new InputError(`${shown(file)} is shorter than what was sent of it already.`);
  if (state.line > 0) console.log(`Goes on after line ${state.line}.`);
  const stop = new AbortController();
  // The first signal ends the run in order; a second one ends it at once.
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  const begun = { at: performance.now(), line: state.line };
  const said = (): string => {
    const rate = ((state.line - begun.line) / (performance.now() - begun.at)) * 1_000;
    const percent = size === 0 ? 100 : Math.floor((state.offset / size) * 100);
    return `${state.line} lines (${percent} %), ${rate.toFixed(0)} a second, ${state.refused} refused`;
  };
  const show = progressLine(env, said);
  let moved = { line: state.line, at: performance.now() };
  for (;;) {
    const run = await feedOnce({
      file,
      address,
      tls: tls?.context,
      state,
      stop: stop.signal,
      progress: show.next,
    });
    show.end();
    if (run === 'complete') {
      console.log(`All of ${shown(file)} is answered: ${said()}.`);
      return state.refused === 0 ? 0 : 1;
    }
    if (run === 'stopped' || stop.signal.aborted) {
      console.log(`Stopped: ${said()}. Run it again to go on.`);
      return 1;
    }
    if (state.line > moved.line) moved = { line: state.line, at: performance.now() };
    const { code, message } = run.fault;
    if (code !== 'UNAVAILABLE' || performance.now() - moved.at > PATIENCE_MS)
      throw new Error(`${code} after line ${state.line}: ${message} Run it again to go on.`);
    await new Promise((wake) => setTimeout(wake, PAUSE_MS));
  }
}

/** Shows progress in one line, which is rewritten on a terminal. */
function progressLine(env: NodeJS.ProcessEnv, said: () => string): { next(): void; end(): void } {
  if (!mayRewrite(process.stdout, env)) return { next: () => {}, end: () => {} };
  let shownAt = 0;
  return {
    next() {
      if (performance.now() - shownAt < SHOW_EVERY_MS) return;
      shownAt = performance.now();
      process.stdout.write(`\r\u001b[K${said()}`);
    },
    end: () => void process.stdout.write('\r\u001b[K'),
  };
}
