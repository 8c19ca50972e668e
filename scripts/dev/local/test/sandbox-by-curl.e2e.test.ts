import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@kontoport/embedded/port';
import { describeWith } from '@kontoport/testing/describe-with';
import { LIMIT_MS, useStack } from './started-stack.ts';

const root = join(import.meta.dirname, '../../../..');
const { data, start } = useStack();

/** The shell commands of docs/sandbox-by-curl.md, on the ports and the data folder of this test. */
function commands(places: Record<string, string>): string {
  const page = readFileSync(join(root, 'docs/sandbox-by-curl.md'), 'utf8');
  const [, block] = /```sh\n([\s\S]*?)```/.exec(page)!;
  return Object.entries(places).reduce((text, [from, to]) => text.replaceAll(from, to), block!);
}

/** What an address says of itself to a caller without certificate. */
async function documentAt(url: string): Promise<unknown> {
  const ca = join(data(), 'ca/root.pem');
  const request = ['--silent', '--show-error', '--fail', '--cacert', ca, `${url}/openapi.json`];
  const { stdout } = await promisify(execFile)('curl', request, { maxBuffer: 4 * 1024 * 1024 });
  return JSON.parse(stdout);
}

const hasCurl = ['bash', 'curl'].every((tool) => spawnSync(tool, ['--version']).status === 0);

describeWith(
  'docs/sandbox-by-curl.md',
  { missing: hasCurl ? undefined : 'no bash or no curl: install both' },
  () => {
    it(
      'shows calls of the sandbox that work as they stand, and every address has the document it names (§9.5)',
      async () => {
        const { child, ended, ready } = start('--no-tour');
        const { baseUrl, registrationUrl, authUrl, userUrl } = await ready();
        const webhooks = await freePort();
        const script = commands({
          'https://localhost:8443': baseUrl,
          'https://localhost:8444': registrationUrl,
          'https://localhost:8445': authUrl,
          'https://localhost:8446': userUrl,
          'qwac mint': `qwac mint --data ${data()}`,
          ':3000/': `:${webhooks}/`,
          '(3000,': `(${webhooks},`,
          '.local/': `${data()}/`,
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
        for (const [url, name] of [
          [baseUrl, 'account-and-payment'],
          [`${baseUrl}/aisp-pisp`, 'account-and-payment'],
          [registrationUrl, 'registration'],
          [authUrl, 'token'],
          [userUrl, 'user'],
        ]) {
          const document = readFileSync(join(root, `proto/openapi/${name}.json`), 'utf8');
          expect(await documentAt(url!)).toEqual(JSON.parse(document));
        }
        child.kill('SIGINT');
        expect(await ended).toBe(0);
      },
      LIMIT_MS,
    );
  },
);
