import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasEnded, startNode } from '@kontoport/embedded/node-process';
import { freePort } from '@kontoport/embedded/port';
import { untilReady } from '@kontoport/embedded/until-ready';

const ROOT = join(import.meta.dirname, '../../..');

/** A user of the reference connector (scripts/dev/bank), with the code to log in. */
export const BANK_USER = { userId: '5b1f6c52-3f0e-4d0a-9a4e-0c9a1f7a1001', code: '1841' };

/** The reference connector as a bank would run it: a process of its own, over a ledger. */
export interface BankProcess {
  address: string;
  pagesUrl: string;
  /** Answers in the bank's app, as `BANK_USER`. @returns the text of the page afterwards */
  answer(authenticationId: string, answer: 'APPROVED' | 'DECLINED'): Promise<string>;
  /** Kills it and starts it again on the same journal and ports. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

/** @param ledger host:port of LedgerService */
export async function startBankProcess(
  ledger: string,
  more: Record<string, string> = {},
): Promise<BankProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-bank-'));
  const [grpcPort, pagesPort, opsPort] = [await freePort(), await freePort(), await freePort()];
  const env = {
    PATH: process.env.PATH,
    GRPC_PORT: String(grpcPort),
    PAGES_PORT: String(pagesPort),
    OPS_PORT: String(opsPort),
    USER_URL: 'https://user.bank.test',
    ACCOUNTS_GRPC: ledger,
    JOURNAL: join(folder, 'journal'),
    BANK_KEY: randomBytes(32).toString('base64url'),
    LOG_LEVEL: 'silent',
    ...more,
  };
  const start = async () => {
    const started = startNode({
      args: ['--disable-warning=ExperimentalWarning', join(ROOT, 'scripts/dev/bank/src/main.ts')],
      cwd: ROOT,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await untilReady({ name: 'the bank', opsPort, limitMs: 60_000 });
    return started;
  };
  let running = await start();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!hasEnded(running.child)) running.child.kill(signal);
    await running.ended;
  };
  const pagesUrl = `http://127.0.0.1:${pagesPort}`;
  const post = (path: string, form: Record<string, string>, cookie = '') =>
    fetch(pagesUrl + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body: new URLSearchParams(form),
    });
  let session: string | undefined;
  return {
    address: `127.0.0.1:${grpcPort}`,
    pagesUrl,
    async answer(authenticationId, answer) {
      const logIn = async (): Promise<string> => {
        const { userId: user, code } = BANK_USER;
        const { headers } = await post('/app', { user, code });
        return headers.get('set-cookie')!.split(';', 1)[0]!;
      };
      session ??= await logIn();
      const path = `/app/${authenticationId}`;
      const read = async () => (await fetch(pagesUrl + path, { headers: { cookie: session! } })).text();
      const proof = /name="proof" value="([^"]+)"/.exec(await read())?.[1] ?? '';
      await post(path, { answer, proof }, session);
      return read();
    },
    async crash() {
      await end('SIGKILL');
      running = await start();
    },
    async close() {
      await end('SIGTERM');
      rmSync(folder, { recursive: true });
    },
  };
}
