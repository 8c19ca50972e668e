import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openapi } from '../openapi.ts';

const REGISTRATION = 'proto/openapi/registration.json';

/** The source of a service that serves one operation at an address. */
const service = (address: string, path: string, more = "summary: 'One'"): string => `
const answers = { 204: { description: 'Done.' } };
const security = { kind: 'certificate' };
const route = { method: 'GET', path: '${path}', clause: '§4.2', security, answers, ${more} };
export const it = { entryPoints: () => ({ routes: { ${address}: [route] } }) };
`;

let root: string;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const pathsOf = (file: string): string[] =>
  Object.keys((JSON.parse(readFileSync(join(root, file), 'utf8')) as { paths: object }).paths);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kontoport-openapi-'));
  write('services/a/src/service.ts', service('base_url', '/one'));
  write('services/b/src/service.ts', service('base_url', '/two'));
  write('services/c/src/service.ts', service('registration_url', '/tpp'));
  write('services/d/src/service.ts', service('auth_url', '/token', "summary: 'T', errors: 'oauth'"));
  write('services/e/src/service.ts', service('user_url', '/page', "summary: 'P', errors: 'html'"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('npm run openapi (§9)', () => {
  it('writes one document for each address, of the routes of all services', async () => {
    expect(await openapi(root, { check: false })).toEqual([]);
    expect(pathsOf('proto/openapi/account-and-payment.json')).toEqual(['/one', '/two']);
    expect(pathsOf(REGISTRATION)).toEqual(['/tpp']);
    write(REGISTRATION, '{}');
    expect(await openapi(root, { check: true })).toEqual([`${REGISTRATION} is old: npm run openapi`]);
  });

  it('reports a document that breaks a strict rule', async () => {
    write('services/c/src/service.ts', service('registration_url', '/tpp', "summary: ''"));
    expect(await openapi(root, { check: false })).toEqual([
      expect.stringMatching(/^proto\/openapi\/registration\.json#\/paths\/~1tpp.*operation-summary/),
    ]);
  });
});
