import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { until } from '@kontoport/embedded/wait';
import { kontoport, type Said } from '@kontoport/testing/kontoport';
import { LIMIT_MS, useStack } from './started-stack.ts';

const root = join(import.meta.dirname, '../../../..');
const { data, start } = useStack('file');
const onStack = (...args: string[]): string[] => [...args, '--stack', join(data(), 'stack.json')];
const run = (...args: string[]): Promise<Said> => kontoport(onStack(...args));

let clientId: string;

interface Entry {
  requestId: string;
  method: string;
  route: string;
  status: number;
}

const entriesIn = (stdout: string): Entry[] =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Entry);

async function entries(...args: string[]): Promise<Entry[]> {
  const { status, stdout, stderr } = await run('requests', '--json', ...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return entriesIn(stdout);
}

const callAs = (requestId: string, path: string): Promise<Said> =>
  run('call', 'GET', path, '--header', `X-Request-Id: ${requestId}`);

beforeAll(async () => {
  await start('--no-tour').ready();
  const { stdout } = await run('login', '--json');
  ({ clientId } = JSON.parse(stdout) as { clientId: string });
}, LIMIT_MS);

describe('kontoport requests (§Sandbox)', () => {
  it(
    'shows the requests that every service answered',
    async () => {
      for (const path of ['/accounts', '/payments/standing-orders', '/v1/webhook-subscriptions'])
        await run('call', 'GET', path);
      const wanted = [
        'POST /tpp 201',
        'POST /oauth2/token 200',
        'GET /accounts 200',
        'GET /payments/standing-orders 200',
        'GET /v1/webhook-subscriptions 200',
      ];
      const found = await until(
        async () => {
          const lines = (await entries()).map(({ method, route, status }) => `${method} ${route} ${status}`);
          const recorded = wanted.filter((line) => lines.includes(line));
          return recorded.length === wanted.length && recorded;
        },
        { timeout: LIMIT_MS, what: 'a request at each service' },
      );
      expect(found).toEqual(wanted);
    },
    LIMIT_MS,
  );

  it('names the client of a token request', async () => {
    const own = await entries('--client', clientId, '--status', '200');
    expect(own.map(({ route }) => route)).toContain('/oauth2/token');
  });

  it('filters, and shows the check that refused and its cure', async () => {
    await callAs('refused-1', '/polling/unknown/status');
    await until(async () => (await entries('--id', 'refused-1')).length === 1, {
      timeout: LIMIT_MS,
      what: 'the refused request',
    });
    const { stdout } = await run('requests', '--status', '404', '--limit', '1');
    expect(stdout).toMatch(
      /^[\d:.]{12} {2}404 {2}GET \/polling\/\{paymentId\}\/status {2}\d+ ms {2}refused-1\n {2}RESOURCE_UNKNOWN: .+\n {2}Cure: .+ \(\/errors\/RESOURCE_UNKNOWN\)\n$/,
    );
    expect(await run('requests', '--status', '9xx')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('query.status'),
    });
  });

  it('follows: each request appears once', async () => {
    const child = spawn(
      process.execPath,
      [
        'scripts/programs/kontoport/kontoport.mjs',
        ...onStack('requests', '--follow', '--json', '--id', 'new-1'),
      ],
      { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    const printed = (count: number) =>
      until(() => entriesIn(stdout).length >= count, { timeout: LIMIT_MS, what: `${count} requests` });
    await callAs('new-1', '/accounts');
    await printed(1);
    await callAs('new-1', '/sandbox/clock');
    await printed(2);
    child.kill('SIGINT');
    await once(child, 'close');
    expect(entriesIn(stdout).map(({ route }) => route)).toEqual(['/accounts', '/sandbox/clock']);
  });
});
