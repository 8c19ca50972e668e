import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import type { Qwac } from '@kontoport/issuing';
import { describeWith } from '@kontoport/testing/describe-with';
import { kontoport } from '@kontoport/testing/kontoport';
import { canSeeListeners, listenersOf } from '@kontoport/testing/listeners';
import { testCa, testQwac } from '@kontoport/testing/qwac';
import type { StackFile } from '../src/stack-file.ts';
import { describeOpenidClient } from './openid-suite.ts';
import { describePages } from './pages-suite.ts';
import { describePaymentLogs, readLogs } from './payment-logs.ts';
import { LIMIT_MS, type StartedStack, useStack } from './started-stack.ts';
import { register, transportOf } from './tpp-app.ts';

const root = join(import.meta.dirname, '../../../..');
const DAY_MS = 86_400_000;
// A home folder that cannot exist: the stack must not need one.
const variables: NodeJS.ProcessEnv = { HOME: '/dev/null/home' };
const { data, start } = useStack('file', variables);

let started: StartedStack;
let stack: StackFile;

/** Command line and environment of every process that we may see. */
function allProcesses(): string[] {
  if (!existsSync('/proc'))
    return execFileSync('ps', ['axeww', '-o', 'pid=,command='], { encoding: 'utf8' }).split('\n');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const of = (part: string): string =>
          readFileSync(`/proc/${pid}/${part}`, 'utf8').replaceAll('\0', ' ');
        return [`${pid} ${of('cmdline')} ${of('environ')}`];
      } catch {
        return []; // it has ended meanwhile, or belongs to another user
      }
    });
}

const processes = (): string[] => allProcesses().filter((text) => text.includes(data()));

/** Waits until no process of the stack is left. */
async function isGone(): Promise<void> {
  await until(() => processes().length === 0, { what: 'the end of every process' });
  expect(existsSync(join(data(), 'stack.json'))).toBe(false);
}

/** The lines of a run, without its numbers and ids. */
const linesOf = (said: string): string[] =>
  said
    .split('\n')
    .map((line) => line.replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|\d+(\.\d+)?/g, '#'))
    // A long path widens the columns.
    .map((line) => line.replaceAll(/ {2,}/g, '  ').trimEnd())
    .filter((line) => line !== '' && line !== ' …');

beforeAll(async () => {
  started = start();
  stack = await started.ready();
  await until(() => started.output().includes('Developer portal'), {
    timeout: LIMIT_MS,
    what: 'the end of the tour',
  });
}, 2 * LIMIT_MS);

describe('npm start', () => {
  it('runs the tour to its end and prints plain lines without secrets', () => {
    const output = started.output();
    expect(output).toContain('The tour is complete');
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const [, sample] = /^```text\n(Kontoport is ready[^`]*)```$/m.exec(readme)!;
    expect(linesOf(output.replaceAll(data(), '.local'))).toEqual(expect.arrayContaining(linesOf(sample!)));
    expect(output).not.toContain('\u001b');
    const secrets = JSON.parse(readFileSync(join(data(), 'secrets.json'), 'utf8')) as Record<string, string>;
    for (const secret of Object.values(secrets)) expect(output).not.toContain(secret);
    expect(output).toContain(`npx kontoport login --stack ${join(data(), 'stack.json')}`);
    expect(output.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    expect(output.trimEnd().split('\n').at(-1)).toBe(`Developer portal: ${stack.baseUrl}/`);
  });

  describePaymentLogs('with tracing off', () => readLogs(data()));

  it('publishes the running stack, which status and logs read', async () => {
    expect(stack.services.map(({ name }) => name).toSorted()).toEqual([
      'account-information',
      'auth',
      'payments',
      'registration',
      'webhook-dispatcher',
    ]);
    for (const file of [stack.serverCa, stack.trustAnchors, stack.issuingCa.key])
      expect(existsSync(file)).toBe(true);
    const status = await kontoport(['status', '--json', '--data', data()]);
    expect({ status: status.status, ...JSON.parse(status.stdout) }).toMatchObject({
      status: 0,
      running: true,
      ready: true,
      addresses: ['base_url', 'registration_url', 'auth_url', 'user_url'].map((name) => ({
        name,
        isWell: true,
      })),
      services: stack.services.map(({ name }) => ({ name, isWell: true })),
    });
    const logs = await kontoport(['logs', 'auth', '--data', data(), '--lines', '2']);
    expect(logs).toMatchObject({ status: 0, stderr: '' });
    expect(logs.stdout).toMatch(/^(\d\d:\d\d:\d\d\.\d{3} info {2}\S.*\n){2}$/);
  });

  it('refuses a second stack on the same data', async () => {
    const second = start('--no-tour');
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`runs already on ${data()} (process ${started.child.pid})`);
  });
});

const unseen = canSeeListeners() ? undefined : 'the listeners of other processes are seen on Linux only';
describeWith('every process of the stack', { missing: unseen }, () => {
  it('listens on the loopback address only', () => {
    const listeners = listenersOf(started.child.pid!);
    // Five services, the edge's process, PostgreSQL and the broker.
    expect(new Set(listeners.map(({ pid }) => pid)).size).toBeGreaterThanOrEqual(8);
    expect(listeners.filter(({ address }) => !/^(127\.\d+\.\d+\.\d+|::1)$/.test(address))).toEqual([]);
  });
});

describe('registration (§5.1, §5.2)', () => {
  it('accepts certificates of a CA within seconds after its file is in the trust-anchor folder', async () => {
    const ca = await testCa({ name: 'Another Root' });
    const issuer = await testCa({ name: 'Another Issuing CA', issuer: ca });
    const of = { issuer, organizationName: 'TPP', organizationIdentifier: 'PSDSE-FINA-1' };
    const good = await testQwac(of);
    expect(await register(stack)).toMatchObject({ status: 403, errorCode: 'CERTIFICATE_MISSING' });
    expect(await register(stack, good)).toMatchObject({ status: 403, errorCode: 'CERTIFICATE_INVALID' });
    writeFileSync(join(stack.trustAnchors, 'another.pem'), ca.certificatePem);
    await until(async () => (await register(stack, good)).status === 201, { what: 'the new CA to count' });
    const [notBefore, notAfter] = [new Date(Date.now() - 2 * DAY_MS), new Date(Date.now() - DAY_MS)];
    const expired = await testQwac({ ...of, notBefore, notAfter });
    expect(await register(stack, expired)).toMatchObject({ status: 403, errorCode: 'CERTIFICATE_EXPIRED' });
    const oneRole = await testQwac({ ...of, roles: ['PSP_AI'] });
    expect(await register(stack, oneRole)).toMatchObject({ status: 403, errorCode: 'ROLE_INVALID' });
  });
});

describeOpenidClient(() => stack);
describePages(() => stack);

const hasCurl = ['bash', 'curl'].every((tool) => spawnSync(tool, ['--version']).status === 0);
describeWith(
  'docs/sandbox-by-curl.md',
  { missing: hasCurl ? undefined : 'no bash or no curl: install both' },
  () => {
    /** The commands of the page, on the ports and the data folder of this test. */
    function commands(places: Record<string, string>): string {
      const page = readFileSync(join(root, 'docs/sandbox-by-curl.md'), 'utf8');
      const [, block] = /```sh\n([\s\S]*?)```/.exec(page)!;
      return Object.entries(places).reduce((text, [from, to]) => text.replaceAll(from, to), block!);
    }

    it(
      'has commands that work, and every address serves its document (§9.5)',
      async () => {
        const { baseUrl, registrationUrl, authUrl, userUrl } = stack;
        const webhooks = await freePort();
        const script = commands({
          'kontoport login': `kontoport login --stack ${join(data(), 'stack.json')}`,
          'kontoport env': `kontoport env --stack ${join(data(), 'stack.json')}`,
          ':3000/': `:${webhooks}/`,
          '(3000,': `(${webhooks},`,
        });
        const { stdout, stderr } = await promisify(execFile)('bash', ['-e', '-c', script], { cwd: root });
        expect(stderr).not.toMatch(/curl|Error/);
        expect(stdout).toContain('"accounts":[');
        expect(stdout).toContain('"posted":[');
        expect(stdout).toMatch(/^webhook: \{.*"eventType":"Posting\.CreatedV1".*\}\nits signature holds$/m);
        expect(stdout).toMatch(/^approved, back to https:\/\/tpp\.example\/callback/m);
        expect(stdout).toMatch(/"status":"APPROVED"/);
        expect(stdout).toMatch(/^the user is asked at https:\/\/localhost:\d+\/authorize\/[\w-]+$/m);
        expect(stdout.trimEnd()).toMatch(/204$/);
        const { fetch: get, close } = transportOf(stack);
        for (const [url, name] of [
          [baseUrl, 'account-and-payment'],
          [`${baseUrl}/aisp-pisp`, 'account-and-payment'],
          [registrationUrl, 'registration'],
          [authUrl, 'token'],
          [userUrl, 'user'],
        ]) {
          const document = readFileSync(join(root, `proto/openapi/${name}.json`), 'utf8');
          expect(await (await get(`${url}/openapi.json`)).json()).toEqual(JSON.parse(document));
        }
        await close();
      },
      LIMIT_MS,
    );
  },
);

/** GET /accounts without a token, with a certificate or with that of a folder. */
async function knock(qwac: string | Pick<Qwac, 'chainPem' | 'keyPem'>): Promise<string> {
  const { fetch: get, close } = transportOf(stack, typeof qwac === 'string' ? qwacIn(qwac) : qwac);
  const { errorCode } = (await (await get(`${stack.baseUrl}/accounts`)).json()) as { errorCode: string };
  await close();
  return errorCode;
}

function qwacIn(folder: string): Pick<Qwac, 'chainPem' | 'keyPem'> {
  const [chainPem, keyPem] = ['chain.pem', 'key.pem'].map((file) => readFileSync(join(folder, file), 'utf8'));
  return { chainPem: chainPem!, keyPem: keyPem! };
}

/** Waits until the services answer a certificate so. */
const isAnswered = (qwac: Parameters<typeof knock>[0], errorCode: string): Promise<unknown> =>
  until(async () => (await knock(qwac)) === errorCode, { timeout: 30_000, what: errorCode });

describe('a stack that is killed', () => {
  const folderOf = (name: string): string => join(data(), name);

  it(
    'leaves no process behind, and refuses a revoked certificate before and, with REVOCATION=hard-fail, after it (§5.1)',
    async () => {
      const root = await testCa({ name: 'Root without a responder' });
      const issuer = await testCa({ name: 'Issuer without a responder', issuer: root });
      const unknown = await testQwac({
        issuer,
        organizationName: 'TPP',
        organizationIdentifier: 'PSDSE-FINA-2',
      });
      writeFileSync(join(stack.trustAnchors, 'without-responder.pem'), root.certificatePem);
      await isAnswered(unknown, 'TOKEN_MISSING');
      for (const name of ['mine', 'neighbour']) {
        const mint = ['qwac', 'mint', '--data', data(), '--name', name, '--out', folderOf(name)];
        expect((await kontoport(mint)).status).toBe(0);
        expect(await knock(folderOf(name))).toBe('TOKEN_MISSING');
      }
      const revoke = ['qwac', 'revoke', '--data', data(), join(folderOf('mine'), 'chain.pem')];
      expect(await kontoport(revoke)).toMatchObject({ status: 0, stderr: '' });
      await isAnswered(folderOf('mine'), 'CERTIFICATE_REVOKED');

      expect(processes().length).toBeGreaterThan(7);
      started.child.kill('SIGKILL');
      await started.ended;
      await isGone();

      const { issuingCa } = stack;
      variables.REVOCATION = 'hard-fail';
      started = start('--no-tour');
      stack = await started.ready();
      expect(stack.issuingCa.sources).toEqual(issuingCa.sources);
      await isAnswered(folderOf('mine'), 'CERTIFICATE_REVOKED');
      await isAnswered(folderOf('neighbour'), 'TOKEN_MISSING');
      await isAnswered(unknown, 'CERTIFICATE_INVALID');
    },
    2 * LIMIT_MS,
  );

  it(
    'in one service, shows the end of its log, and stops with status 1',
    async () => {
      process.kill(stack.services.find(({ name }) => name === 'payments')!.pid, 'SIGKILL');
      expect(await started.ended).toBe(1);
      const output = started.output();
      expect(output).toContain('payments was ended by SIGKILL.');
      // The output is for people, not JSON.
      expect(output).toMatch(/^ {2}\d\d:\d\d:\d\d\.\d{3} info /m);
      expect(output).not.toContain('"level":');
      expect(output).toContain(join(data(), 'logs/payments.log'));
      await isGone();
      const { status, stdout } = await kontoport(['status', '--json', '--data', data()]);
      expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 1, running: false });
    },
    LIMIT_MS,
  );

  it(
    'by SIGTERM in the middle of its start, stops what it has started',
    async () => {
      const { child, ended, output } = start('--no-tour');
      await until(() => output().includes('Kafka'), { timeout: LIMIT_MS, what: 'the broker' });
      child.kill('SIGTERM');
      expect(await ended).toBe(143);
      expect(output()).not.toContain('is ready');
      await isGone();
    },
    LIMIT_MS,
  );
});
