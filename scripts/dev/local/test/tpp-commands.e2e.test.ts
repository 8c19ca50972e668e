import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kontoport, type Said } from '@kontoport/testing/kontoport';
import { LIMIT_MS, useStack } from './started-stack.ts';

const { data, start } = useStack('file');

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
  await start('--no-tour').ready();
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
