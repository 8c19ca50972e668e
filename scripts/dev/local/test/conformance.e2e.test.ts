import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { kontoport, type Said } from '@kontoport/testing/kontoport';
import { Agent, fetch as fetchBy } from 'undici';
import type { StackFile } from '../src/stack-file.ts';
import { LIMIT_MS, useStack } from './started-stack.ts';

interface Element {
  getAttribute(name: string): string | null;
}
interface XmlDocument {
  documentElement: Element;
  getElementsByTagName(name: string): ArrayLike<Element>;
}
// Its types would add those of a browser to the whole repository.
const require = createRequire(import.meta.url);
const { DOMParser } = require('@xmldom/xmldom') as {
  DOMParser: new (options: { errorHandler: (level: string, message: string) => never }) => {
    parseFromString(text: string, type: string): XmlDocument;
  };
};
const { data, start } = useStack('file', { WEBHOOK_RETRY_SCHEDULE: '0s,1s' });
const inData = (file: string): string => join(data(), file);
const textOf = (file: string): string => readFileSync(inData(file), 'utf8');
let stack: StackFile;

interface Result {
  id: string;
  outcome: string;
  reason?: string;
}

/** Runs the checks against the stack, with changes of its configuration. */
const conformance = (changes: object, ...args: string[]): Promise<Said> => {
  const config = inData('conformance.json');
  writeFileSync(config, JSON.stringify({ ...stack, ...changes }));
  return kontoport(['conformance', '--config', config, ...args]);
};
const resultsOf = ({ stdout }: Said): Result[] => (JSON.parse(stdout) as { results: Result[] }).results;

/** A port on which nothing listens, and a server on it with the certificate of the stack. */
async function serve(
  answer: (path: string) => Promise<{ status: number; headers: Record<string, string>; body: string }>,
) {
  const files = { cert: textOf('ca/server.pem'), key: textOf('ca/server-key.pem') };
  const server = createServer(files, (request, response) => {
    void answer(request.url!).then(({ status, headers, body }) =>
      response.writeHead(status, headers).end(body),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `https://localhost:${(server.address() as AddressInfo).port}` };
}

beforeAll(async () => {
  stack = await start('--no-tour').ready();
}, LIMIT_MS);

describe('kontoport conformance', () => {
  it(
    'passes every check against the sandbox, and writes reports without secrets and account data',
    async () => {
      expect(await kontoport(['login', '--stack', inData('stack.json')])).toMatchObject({ status: 0 });
      const reports = ['--junit', inData('report.xml'), '--html', inData('report.html')];
      const said = await conformance({}, '--profile', 'default', ...reports);
      expect(said.stdout).not.toMatch(/FAILED|skipped {2}/);
      expect({ status: said.status, stderr: said.stderr }).toEqual({ status: 0, stderr: '' });

      const xml = new DOMParser({
        errorHandler: (level, message) => {
          throw new Error(`${level}: ${message}`);
        },
      }).parseFromString(textOf('report.xml'), 'text/xml');
      const suites = xml.documentElement;
      const cases = Array.from(xml.getElementsByTagName('testcase'));
      expect(said.stdout).toContain(
        `\n${cases.length} checks: ${cases.length} passed, 0 failed, 0 skipped.\n`,
      );
      expect([suites.getAttribute('tests'), suites.getAttribute('failures')]).toEqual([
        String(cases.length),
        '0',
      ]);
      expect(textOf('report.html')).toMatch(
        /<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;/,
      );

      const { clientSecret } = JSON.parse(textOf('profiles/default/profile.json')) as {
        clientSecret: string;
      };
      const { stdout } = await kontoport(['call', 'GET', '/accounts', '--stack', inData('stack.json')]);
      const { accounts } = JSON.parse(stdout) as { accounts: { id: string; bban: string }[] };
      const secrets = [
        clientSecret,
        textOf('profiles/default/access-token'),
        ...accounts.flatMap(({ id, bban }) => [id, bban]),
      ];
      for (const report of [said.stdout, textOf('report.xml'), textOf('report.html')])
        expect(secrets.filter((secret) => report.includes(secret))).toEqual([]);
    },
    2 * LIMIT_MS,
  );

  it(
    'fails the check whose promise a deployment breaks, and no other',
    async () => {
      const dispatcher = new Agent({ connect: { ca: readFileSync(stack.serverCa) } });
      const { server, url } = await serve(async (path) => {
        const init = { dispatcher, redirect: 'manual' as const, headers: { accept: 'application/json' } };
        const answer = await fetchBy(stack.userUrl + path, init);
        const body = await answer.text();
        const { 'content-length': _, ...headers } = Object.fromEntries(answer.headers);
        return {
          status: answer.status,
          headers,
          body: path === '/errors' ? body.replace('"TOKEN_EXPIRED"', '"TOKEN_INVALID"') : body,
        };
      });
      const said = await conformance({ userUrl: url }, '--json', '--only', '7', '--only', '§9');
      server.close();
      await dispatcher.close();
      expect(said.status).toBe(1);
      expect(resultsOf(said).filter(({ outcome }) => outcome !== 'passed')).toMatchObject([
        { id: 'error-list', outcome: 'failed', reason: expect.stringContaining('TOKEN_EXPIRED') },
      ]);
    },
    LIMIT_MS,
  );

  it('names cause and cure of a wrong authority, a dead address and a refused certificate', async () => {
    writeFileSync(inData('other-ca.pem'), rootCertificates[0]!);
    const { server, url } = await serve(() => Promise.reject(new Error('unused')));
    server.close();
    await once(server, 'close');
    const mint = ['qwac', 'mint', '--fault', 'expired', '--data', data(), '--out', inData('expired')];
    expect(await kontoport(mint)).toMatchObject({ status: 0 });
    const expired = { certificate: inData('expired/chain.pem'), key: inData('expired/key.pem') };
    const faults: [object, RegExp][] = [
      [{ serverCa: inData('other-ca.pem') }, /serverCa does not verify .*baseUrl.* Name the authority/],
      [{ authUrl: url }, /authUrl https:\S+ is unreachable \(ECONNREFUSED\)\. Correct it in/],
      [expired, /gives the client no token\.[\s\S]*CERTIFICATE_EXPIRED[\s\S]*\nCure: /],
      [{ issuingCa: undefined }, /has no client certificate\. Add certificate and key/],
      [{ baseUrl: 'http://localhost' }, /is no configuration: baseUrl: /],
    ];
    for (const [changes, stderr] of faults)
      expect(await conformance(changes)).toEqual({
        status: 2,
        stdout: '',
        stderr: expect.stringMatching(stderr),
      });
  });

  it('names the clauses that it knows', async () => {
    expect(await conformance({}, '--only', '99')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/no check has the clause "99"; known are 2\.1, .*4\.3/),
    });
  });
});
