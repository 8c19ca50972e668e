import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { jest } from '@jest/globals';
import { breaking, publishedRevision } from '../breaking.ts';
import { openapi } from '../openapi.ts';

const REGISTRATION = 'proto/openapi/registration.json';

/** A service of one file that serves an operation at an address. */
const service = (address: string, route: string): string => `
const answers = { 204: { description: 'Done.' } };
const security = { kind: 'certificate' };
export const it = { entryPoints: () => ({ routes: { ${address}: [${route}] } }) };
`;
const tpp = "{ method: 'DELETE', path: '/tpp', clause: '§4.2', summary: 'No more', security, answers }";
const one = "{ method: 'GET', path: '/one', clause: '§4.3', summary: 'One', security, answers }";
const two = "{ method: 'GET', path: '/two', clause: '§4.4', summary: 'Two', security, answers }";
const token =
  "{ method: 'POST', path: '/token', clause: '§4.1', summary: 'T', security, errors: 'oauth', answers }";
const page = "{ method: 'GET', path: '/p', clause: '§4.4', summary: 'P', security, errors: 'html', answers }";

let root: string;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const read = (path: string) =>
  JSON.parse(readFileSync(join(root, path), 'utf8')) as {
    info: { version: string };
    paths: Record<string, Record<string, { security: unknown[] }>>;
  };
const git = (...args: string[]): void => {
  const who = ['-c', 'user.name=x', '-c', 'user.email=x@bank.example', '-c', 'commit.gpgsign=false'];
  const { status, stderr } = spawnSync('git', [...who, ...args], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kontoport-openapi-'));
  write('services/a/src/service.ts', service('base_url', one));
  write('services/b/src/service.ts', service('base_url', two));
  write('services/c/src/service.ts', service('registration_url', tpp));
  write('services/d/src/service.ts', service('auth_url', token));
  write('services/e/src/service.ts', service('user_url', page));
  jest.spyOn(console, 'log').mockImplementation(() => {});
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

describe('the documents of the interfaces (§9)', () => {
  it('are the union of what the services serve, by address', async () => {
    expect(await openapi(root, { check: false })).toEqual([]);
    expect(Object.keys(read('proto/openapi/account-and-payment.json').paths)).toEqual(['/one', '/two']);
    expect(Object.keys(read(REGISTRATION).paths)).toEqual(['/tpp']);
    expect(read(REGISTRATION).info.version).toBe('0.3.0');
  });

  it('are checked for their age', async () => {
    await openapi(root, { check: false });
    expect(await openapi(root, { check: true })).toEqual([]);
    write(REGISTRATION, '{}');
    expect(await openapi(root, { check: true })).toEqual([`${REGISTRATION} is old: npm run openapi`]);
    expect(readFileSync(join(root, REGISTRATION), 'utf8')).toBe('{}');
  });

  it('are checked by the strict rules', async () => {
    write('services/c/src/service.ts', service('registration_url', tpp.replace("'No more'", "''")));
    expect(await openapi(root, { check: false })).toEqual([
      expect.stringMatching(/^proto\/openapi\/registration\.json#\/paths\/~1tpp.*operation-summary/),
    ]);
  });
});

describe('a change that breaks callers', () => {
  beforeEach(async () => {
    await openapi(root, { check: false });
    git('init', '--quiet', '--initial-branch=main');
    git('add', '.');
    git('commit', '--quiet', '--message=one');
  });

  it('is none as long as nothing changes', () => {
    expect(breaking(root, { against: 'main' })).toEqual([]);
  });

  it('fails without a new version, and names document, operation and place', () => {
    const document = read(REGISTRATION);
    document.paths['/tpp']!.delete!.security = [{ certificate: [], oauth: [] }];
    write(REGISTRATION, JSON.stringify(document));
    expect(breaking(root, { against: 'main' })).toEqual([
      `${REGISTRATION} (0.3.0) DELETE /tpp: the endpoint scheme security \`certificate\` was removed from the API`,
    ]);
  });

  it.each([
    ['0.3.1', 1],
    ['0.4.0', 0],
  ])('with the version %s leaves %i faults', (version, faults) => {
    const { '/tpp': _gone, ...paths } = read(REGISTRATION).paths;
    write(REGISTRATION, JSON.stringify({ ...read(REGISTRATION), info: { version }, paths }));
    expect(breaking(root, { against: 'main' })).toHaveLength(faults);
  });

  it('is the loss of a whole document', () => {
    rmSync(join(root, REGISTRATION));
    expect(breaking(root, { against: 'main' })).toEqual([`${REGISTRATION} is gone`]);
  });

  it('is not an interface that was not there before', () => {
    git('rm', '--quiet', '--cached', REGISTRATION);
    git('commit', '--quiet', '--message=two');
    expect(breaking(root, { against: 'main' })).toEqual([]);
  });

  it('is looked for against main as everybody has it, else against our own', () => {
    expect(publishedRevision(root)).toBe('main');
    git('update-ref', 'refs/remotes/origin/main', 'main');
    expect(publishedRevision(root)).toBe('origin/main');
    git('update-ref', '-d', 'refs/remotes/origin/main');
    git('branch', '--move', 'feature');
    expect(publishedRevision(root)).toBeUndefined();
  });

  it('cannot be looked for against an unknown revision', () => {
    expect(() => breaking(root, { against: 'elsewhere' })).toThrow('there is no revision elsewhere');
  });
});
