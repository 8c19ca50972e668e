import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@kontoport/embedded/wait';
import { kontoport } from '@kontoport/testing/kontoport';
import type { StackFile } from '../src/stack-file.ts';
import { LIMIT_MS, type StartedStack, useStack } from './started-stack.ts';
import { openTppApp, type TppApp } from './tpp-app.ts';

const { data, start } = useStack('file');
/** Milliseconds between two requests of a caller. */
const PAUSE_MS = 20;

let started: StartedStack;
let stack: StackFile;
let app: TppApp;
let token: string;

const readStack = (): StackFile => JSON.parse(readFileSync(join(data(), 'stack.json'), 'utf8')) as StackFile;

/** Returns the process of a replica. */
function pidOf(name: string, replica: number): number {
  const found = readStack().services.find((each) => each.name === name && each.replica === replica);
  return found!.pid;
}

/** Signals a replica and waits until another process is ready in its place. */
async function replaceBy(signal: NodeJS.Signals, name: string, replica: number): Promise<void> {
  const pid = pidOf(name, replica);
  process.kill(pid, signal);
  await until(
    async () => {
      if (pidOf(name, replica) === pid) return false;
      const { ops } = readStack().services.find((each) => each.name === name && each.replica === replica)!;
      return (await fetch(`${ops}/readyz`).catch(() => undefined))?.ok;
    },
    { timeout: LIMIT_MS, what: `another ${name}-${replica}` },
  );
}

const accountsStatus = async (): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await app.fetch(`${stack.baseUrl}/accounts`, { headers });
  await answer.text();
  return answer.status;
};

async function tokenStatus(): Promise<number> {
  const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64');
  const answer = await app.fetch(`${stack.authUrl}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  await answer.text();
  return answer.status;
}

/** Sends requests for tokens and accounts, one after another, while `work` runs. @returns the statuses by path */
async function statusesDuring(work: () => Promise<void>): Promise<Record<string, number[]>> {
  const statuses: Record<string, number[]> = { token: [], accounts: [] };
  const controller = new AbortController();
  const again = async (path: string, ask: () => Promise<number>): Promise<void> => {
    while (!controller.signal.aborted) {
      statuses[path]!.push(await ask());
      await pause(PAUSE_MS);
    }
  };
  const callers = [
    again('token', tokenStatus),
    again('accounts', accountsStatus),
    again('accounts', accountsStatus),
  ];
  try {
    await work();
  } finally {
    controller.abort();
    await Promise.all(callers);
  }
  return statuses;
}

beforeAll(async () => {
  started = start('--no-tour', '--replicas', '2');
  stack = await started.ready();
  app = await openTppApp(stack, 'Replicas TPP');
  ({ access_token: token } = await app.getTokens({ grant_type: 'client_credentials' }));
}, LIMIT_MS);

afterAll(() => app?.close());

describe('npm start -- --replicas 2', () => {
  it('runs two processes of each service, except for payments in a sandbox', async () => {
    const counts = Object.groupBy(readStack().services, ({ name }) => name);
    expect(Object.fromEntries(Object.entries(counts).map(([name, all]) => [name, all!.length]))).toEqual({
      registration: 2,
      auth: 2,
      'account-information': 2,
      payments: 1,
      'webhook-dispatcher': 2,
    });
    const { stdout } = await kontoport(['status', '--data', data()]);
    expect(stdout).toContain('auth-2');
  });

  it.each(['auth', 'account-information', 'registration'])(
    'fails no request while a replica of %s drains, and starts it again',
    async (service) => {
      const statuses = await statusesDuring(() => replaceBy('SIGTERM', service, 1));
      for (const all of Object.values(statuses)) {
        expect(all.length).toBeGreaterThan(10);
        expect(new Set(all)).toEqual(new Set([200]));
      }
      expect(started.output()).toMatch(new RegExp(`${service}-1 ended with status 0. It starts again in`));
    },
    LIMIT_MS,
  );

  it(
    'rotates SECRETS_KEY as docs/operations/rotate-secrets.md says, and fails no request',
    async () => {
      const file = join(data(), 'secrets.json');
      const secrets = JSON.parse(readFileSync(file, 'utf8')) as { secretsKey: string };
      const [earlier, later] = [secrets.secretsKey, randomBytes(32).toString('base64url')];
      const rollOut = async (secretsKey: string): Promise<void> => {
        writeFileSync(file, JSON.stringify({ ...secrets, secretsKey }));
        for (const replica of [1, 2]) await replaceBy('SIGTERM', 'auth', replica);
      };
      const statuses = await statusesDuring(async () => {
        await rollOut(`${earlier},${later}`);
        await rollOut(`${later},${earlier}`);
        const { status, stdout } = await kontoport(['reseal', 'auth', '--data', data()]);
        expect([status, stdout]).toEqual([0, expect.stringContaining('sealed with the first key')]);
        await rollOut(later);
      });
      for (const all of Object.values(statuses)) expect(new Set(all)).toEqual(new Set([200]));
    },
    2 * LIMIT_MS,
  );

  it(
    'answers 200 or 503 while a killed replica starts again',
    async () => {
      const statuses = await statusesDuring(() => replaceBy('SIGKILL', 'account-information', 2));
      expect(statuses.accounts!.filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(statuses.accounts!.at(-1)).toBe(200);
    },
    LIMIT_MS,
  );
});
