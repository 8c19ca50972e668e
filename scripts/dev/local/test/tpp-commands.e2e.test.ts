import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { until } from '@kontoport/embedded/wait';
import { kontoport, type Said } from '@kontoport/testing/kontoport';
import type { StackFile } from '../src/stack-file.ts';
import { LIMIT_MS, type StartedStack, useStack } from './started-stack.ts';

const root = join(import.meta.dirname, '../../../..');
const { data, start } = useStack('file', { WEBHOOK_RETRY_SCHEDULE: '0s,1s' });
let started: StartedStack;
let stack: StackFile;

/** Runs a command on this stack. */
const run = (...args: string[]): Promise<Said> => kontoport([...args, '--stack', join(data(), 'stack.json')]);
/** Runs a command with `--json`, and reads what it prints. */
async function runJson(...args: string[]): Promise<{ status: number | null; json: Record<string, unknown> }> {
  const { status, stdout } = await run(...args, '--json');
  return { status, json: JSON.parse(stdout) as Record<string, unknown> };
}

const folder = (profile = 'default'): string => join(data(), 'profiles', profile);
const inProfile = (file: string): string => join(folder(), file);
interface Profile {
  clientId: string;
  clientSecret: string;
  tokenEnds: number;
}
const readProfile = (): Profile => JSON.parse(readFileSync(inProfile('profile.json'), 'utf8')) as Profile;
const token = (): string => readFileSync(inProfile('access-token'), 'utf8');

beforeAll(async () => {
  started = start('--no-tour');
  stack = await started.ready();
}, LIMIT_MS);

describe('kontoport login', () => {
  it('asks for a login first', async () => {
    const { status, stderr } = await run('call', 'GET', '/accounts');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('Make one with npx kontoport login.'),
    });
  });

  it('mints a QWAC, registers, and keeps key, secret and token where only the owner reads them', async () => {
    const { status, stdout, stderr } = await run('login', '--name', 'My TPP');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { clientId, clientSecret } = readProfile();
    expect(stdout).toContain(`Client ${clientId} is registered, with the roles PSP_AI and PSP_PI.`);
    for (const secret of [clientSecret, token(), readFileSync(inProfile('key.pem'), 'utf8')])
      expect(stdout).not.toContain(secret.trim());
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    for (const file of ['profile.json', 'access-token', 'key.pem'])
      expect([file, statSync(inProfile(file)).mode & 0o777]).toEqual([file, 0o600]);
  });

  it('gets another token for the same client at the second login', async () => {
    const [before, earlier] = [readProfile(), token()];
    expect(await runJson('login')).toMatchObject({ status: 0, json: { clientId: before.clientId } });
    expect(token()).not.toBe(earlier);
  });

  it('registers anew when the client is deleted', async () => {
    const { clientId } = readProfile();
    expect(await run('call', 'DELETE', `/tpp/${clientId}`)).toMatchObject({ status: 0 });
    const { json } = await runJson('login');
    expect(json.clientId).not.toBe(clientId);
    expect(await run('call', 'GET', '/accounts')).toMatchObject({ status: 0 });
  });

  it('takes a certificate and key of the user, and keeps profiles apart', async () => {
    const own = join(data(), 'own');
    const mint = ['qwac', 'mint', '--data', data(), '--organization', 'PSDSE-FINA-900', '--out', own];
    expect(await kontoport(mint)).toMatchObject({ status: 0 });
    const files = ['--cert', join(own, 'chain.pem'), '--key', join(own, 'key.pem')];
    expect(await runJson('login', '--profile', 'own', ...files)).toMatchObject({
      status: 0,
      json: { certificate: join(own, 'chain.pem'), folder: folder('own') },
    });
    expect(await run('login', ...files)).toMatchObject({ status: 2, stdout: '' });
    const id = async (...profile: string[]): Promise<unknown> =>
      (await runJson('call', 'GET', '/sandbox/accounts', ...profile)).json.body;
    expect(await id('--profile', 'own')).not.toEqual(await id());
  });
});

describe('kontoport call', () => {
  it('prints the answer on the standard output, and status and request id on the standard error', async () => {
    const { status, stdout, stderr } = await run('call', 'get', '/sandbox/clock');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ aheadSeconds: 0 });
    expect(stdout.split('\n').length).toBeGreaterThan(3);
    expect(stderr).toMatch(/^200 OK {2}\d+ ms {2}request [\da-f-]{36}\n$/);
  });

  it.each([
    ['base_url', 'GET', '/aisp-pisp/accounts', 200],
    ['registration_url', 'GET', '/tpp/CLIENT', 200],
    ['auth_url, with the secret and a form', 'POST', '/oauth2/revoke', 200],
    ['user_url', 'GET', '/oauth2/authorize', 400],
  ])('finds %s by the path', async (_address, method, path, expected) => {
    const body = path === '/oauth2/revoke' ? ['--data', '{"token":"unknown"}'] : [];
    const { json } = await runJson('call', method, path.replace('CLIENT', readProfile().clientId), ...body);
    expect(json.status).toBe(expected);
  });

  it('explains a refusal with cause, cure and page, and ends with status 1', async () => {
    const { status, stdout, stderr } = await run('call', 'GET', '/v2/accounts/x/transactions');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ errorCode: 'RESOURCE_UNKNOWN' });
    expect(stderr).toMatch(/^404 Not Found .*\nCause: .+\nCure: .+\nhttps:\S+\/errors\/RESOURCE_UNKNOWN\n$/);
  });

  it('sends data and headers as they are given', async () => {
    const file = join(data(), 'clock.json');
    writeFileSync(file, '{"advance":"PT1S"}');
    const requestId = 'my-request-1';
    const sent = ['--data', `@${file}`, '--header', `X-Request-Id: ${requestId}`];
    expect(await runJson('call', 'POST', '/sandbox/clock', ...sent)).toMatchObject({
      status: 0,
      json: { status: 200, requestId, body: { aheadSeconds: 1 } },
    });
    const broken = await run('call', 'POST', '/sandbox/clock', '--data', '{');
    expect(broken).toMatchObject({ status: 2, stderr: expect.stringContaining('--data is not JSON') });
  });

  it('renews a token that ends, and one that the bank rejects', async () => {
    const rejected = token();
    await run('call', 'POST', '/oauth2/revoke', '--data', JSON.stringify({ token: rejected }));
    expect(await run('call', 'GET', '/accounts')).toMatchObject({ status: 0 });
    const accepted = token();
    expect(accepted).not.toBe(rejected);
    writeFileSync(inProfile('profile.json'), JSON.stringify({ ...readProfile(), tokenEnds: Date.now() }));
    expect(await run('call', 'GET', '/accounts')).toMatchObject({ status: 0 });
    expect(token()).not.toBe(accepted);
  });

  it('sends the token to no other host', async () => {
    expect(await run('call', 'GET', 'https://localhost.example/accounts')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('PATH begins with /'),
    });
  });
});

describe('kontoport trigger', () => {
  it('lists its triggers with those of the bank, and names them when it does not know one', async () => {
    const names = (await runJson('trigger', '--list')).json as unknown as { name: string }[];
    const listed = (await run('trigger')).stdout;
    for (const { name } of names) expect(listed).toContain(`  ${name}\n`);
    const { json } = await runJson('call', 'GET', '/sandbox/triggers');
    expect(names).toEqual(expect.arrayContaining((json.body as { triggers: object[] }).triggers));
    expect(await run('trigger', 'postings')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /no trigger is called "postings"\. Known are posting, .*payment-declined/,
      ),
    });
  });

  it('explains a trigger that no single request makes', async () => {
    expect(await run('trigger', 'webhook-late')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('webhook-late is for you to make: status of your callback 500.'),
    });
  });

  it('makes a payment that the user declines', async () => {
    const { json } = await runJson('trigger', 'payment-declined');
    const { paymentId } = json.body as { paymentId: string };
    const payment = await until(
      async () => {
        const read = await runJson('call', 'GET', `/payments/domestic-credit-transfer/${paymentId}`);
        const body = read.json.body as { status: string };
        return body.status !== 'APPROVED' && body;
      },
      { timeout: LIMIT_MS, what: 'the decision' },
    );
    expect(payment).toMatchObject({ status: 'REJECTED', rejection: { errorCode: 'STATUS_INVALID' } });
  });

  it('asks a user who declines', async () => {
    const { status, stderr } = await run('trigger', 'user-declines');
    expect(status).toBe(0);
    expect(stderr).toMatch(/^303 .*\nLocation: https:\/\/tpp\.example\/callback\?error=access_denied/);
  });

  it('makes a call that the bank refuses as in an outage', async () => {
    const { status, stderr } = await run('trigger', 'request-unavailable');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^503 .*\nCause: .+\nCure: .+\nhttps:\S+\/errors\/UNAVAILABLE\n$/);
  });

  it.each([
    ['posting', 'financial'],
    ['authorization', 'authorization'],
  ])('%s makes a transaction of the status %s on the chosen account', async (name, status) => {
    const { accounts } = (await runJson('call', 'GET', '/sandbox/accounts')).json.body as {
      accounts: { id: string; currency: string }[];
    };
    const { id } = accounts.find(({ currency }) => currency === 'SEK')!;
    const { json } = await runJson('trigger', name, '--account', id, '--data', '{"title":"Bogcafeen"}');
    const { transactionId } = json.body as { transactionId: string };
    expect(await runJson('call', 'GET', `/accounts/${id}/transactions/${transactionId}`)).toMatchObject({
      status: 0,
      json: { body: { status, title: 'Bogcafeen' } },
    });
  });
});

describe('kontoport clock', () => {
  it('advances the clock of the simulated bank, in units of people or ISO 8601', async () => {
    const day = 86_400;
    const ahead = async (...args: string[]): Promise<number> =>
      (await runJson('clock', ...args)).json.aheadSeconds as number;
    const before = await ahead();
    expect(await ahead('--advance', '2d')).toBe(before + 2 * day);
    expect(await ahead('--advance', 'PT36H')).toBe(before + 3.5 * day);
    const { stdout } = await run('clock');
    expect(stdout).toMatch(/^\d{4}-\S+Z, 3 d 12 h ahead of the real time\n$/);
    expect(await run('clock', '--advance', '3m')).toMatchObject({ status: 2 });
  });
});

describe('kontoport sandbox reset', () => {
  it('makes the simulated bank start over', async () => {
    expect((await runJson('clock', '--advance', '1d')).json.aheadSeconds).not.toBe(0);
    expect(await run('sandbox', 'reset')).toMatchObject({ status: 0, stderr: '' });
    expect((await runJson('clock')).json.aheadSeconds).toBe(0);
  });
});

describe('kontoport env', () => {
  it('sets what curl needs, without the token in its output', async () => {
    const { stdout } = await run('env');
    expect(stdout).not.toContain(token());
    const names = ['BASE_URL', 'USER_URL', 'SERVER_CA', 'CLIENT_CERT', 'CLIENT_KEY', 'CLIENT_ID', 'TOKEN'];
    const script = `${stdout}\nprintf '%s\\n' ${names.map((name) => `"$${name}"`).join(' ')}`;
    const set = execFileSync('bash', ['-e', '-c', script], { encoding: 'utf8' }).trim().split('\n');
    const { baseUrl, userUrl, serverCa } = stack;
    const [certificate, key] = [inProfile('chain.pem'), inProfile('key.pem')];
    expect(set).toEqual([baseUrl, userUrl, serverCa, certificate, key, readProfile().clientId, token()]);
  });
});

/** Starts `kontoport listen`, and waits until it listens. */
async function listen(...args: string[]) {
  const child = spawn(
    process.execPath,
    [
      'scripts/programs/kontoport/kontoport.mjs',
      'listen',
      '--json',
      ...args,
      '--stack',
      join(data(), 'stack.json'),
    ],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const url = await until(() => /^http:\S+/m.exec(stderr)?.[0], { timeout: LIMIT_MS, what: 'the listener' });
  return {
    url,
    /** Waits for a number of webhooks. */
    received: (count: number) =>
      until(
        () => {
          const lines = stdout.split('\n').slice(0, -1);
          return lines.length >= count && lines.map((line) => JSON.parse(line) as Record<string, unknown>);
        },
        { timeout: LIMIT_MS, what: `${count} webhooks` },
      ),
    stderr: () => stderr,
    async stop() {
      child.kill('SIGINT');
      return ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const subscriptions = async (): Promise<{ callbackUrl: string }[]> => {
  const { json } = await runJson('call', 'GET', '/v1/webhook-subscriptions');
  return (json.body as { subscriptions: { callbackUrl: string }[] }).subscriptions;
};

describe('kontoport listen', () => {
  it('forwards the bytes and headers of a verified webhook, and nothing that is forged', async () => {
    const got: { headers: IncomingHttpHeaders; body: string }[] = [];
    const receiver = createServer((request, response) => {
      void buffer(request).then((body) => {
        got.push({ headers: request.headers, body: body.toString() });
        response.writeHead(got.length === 1 ? 503 : 202).end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const listener = await listen('--port', '0', '--forward', `http://127.0.0.1:${port}/hooks`);

    const forged = await fetch(listener.url, {
      method: 'POST',
      headers: { 'webhook-id': '1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' },
      body: '{}',
    });
    expect(forged.status).toBe(401);
    await run('trigger', 'posting');
    const [first, refused, repeated] = await listener.received(3);
    expect(first).toEqual({ signature: 'invalid' });
    // The bank repeats as for the receiver itself.
    expect(refused).toMatchObject({ signature: 'valid', forwarded: { result: '503' } });
    expect(repeated).toMatchObject({ event: refused!.event, forwarded: { result: '202' } });
    expect(got.map(({ body }) => JSON.parse(body) as unknown)).toEqual([refused!.event, refused!.event]);
    expect(got[0]!.headers).toMatchObject({
      'content-type': expect.stringContaining('application/json'),
      'x-hmac-signature': expect.stringMatching(/^[\da-f]{64}$/),
      'webhook-id': expect.any(String),
    });
    expect(await listener.stop()).toBe(0);
    expect(await subscriptions()).toEqual([]);
    receiver.close();
  });

  it(
    'receives the events of a stack that has restarted, and replaces the subscription of a killed listener',
    async () => {
      const killed = await listen('--port', '0', '--events', 'Posting.CreatedV1');
      await killed.kill();
      const port = new URL(killed.url).port;
      const listener = await listen('--port', port, '--events', 'Posting.CreatedV1');
      expect((await subscriptions()).map(({ callbackUrl }) => callbackUrl)).toEqual([listener.url]);

      started.child.kill('SIGTERM');
      await started.ended;
      started = start('--no-tour');
      await started.ready();
      await run('trigger', 'posting');
      expect(await listener.received(1)).toMatchObject([
        { event: { eventType: 'Posting.CreatedV1' }, signature: 'valid' },
      ]);
      expect(await listener.stop()).toBe(0);
      expect(await subscriptions()).toEqual([]);
    },
    2 * LIMIT_MS,
  );

  it('says that its port is in use', async () => {
    const listener = await listen('--port', '0');
    const { port } = new URL(listener.url);
    expect(await run('listen', '--port', port)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('choose one with --port'),
    });
    expect(await listener.stop()).toBe(0);
  });
});
