import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mintQwac, readIssuer } from '@kontoport/issuing';
import { missingTool, toolCommand } from '@kontoport/repo/openapi-tools';
import { describeWith } from '@kontoport/testing/describe-with';
import { Agent, fetch as fetchBy } from 'undici';
import type { StackFile } from '../src/stack-file.ts';
import { LIMIT_MS, useStack } from './started-stack.ts';

const DOCUMENTS = join(import.meta.dirname, '../../../../proto/openapi');
/** No 5xx, and no status, media type, header or body that a document does not describe; tokens and certificates are needed. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
];
const FUZZING_LIMIT_MS = 10 * 60_000;

describeWith('schemathesis, with a certificate and a token', { missing: missingTool('schemathesis') }, () => {
  const { start } = useStack('file');
  let stack: StackFile;
  let folder: string;
  let client: { clientId: string; clientSecret: string };
  let token: string;
  let ids: Record<string, string>;

  beforeAll(async () => {
    stack = await start('--no-tour').ready();
    folder = mkdtempSync(join(tmpdir(), 'kontoport-schemathesis-'));
    const who = { name: 'Fuzzer', roles: ['PSP_AI', 'PSP_PI'] } as const;
    const { chainPem, keyPem } = await mintQwac({
      request: { ...who, organizationIdentifier: 'PSDDK-DFSA-4713', days: 1 },
      issuer: await readIssuer(stack.issuingCa),
      at: new Date(),
    });
    writeFileSync(join(folder, 'chain.pem'), chainPem);
    writeFileSync(join(folder, 'key.pem'), keyPem);
    const dispatcher = new Agent({
      connect: { ca: readFileSync(stack.serverCa), cert: chainPem, key: keyPem },
    });
    const ask = async <T>(url: string, init: object): Promise<T> =>
      (await fetchBy(url, { ...init, dispatcher })).json() as Promise<T>;
    client = await ask(`${stack.registrationUrl}/tpp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...who, redirectUris: ['https://tpp.example/callback'] }),
    });
    ({ access_token: token } = await ask<{ access_token: string }>(`${stack.authUrl}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic()}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    }));
    const headers = { authorization: `Bearer ${token}` };
    const { accounts } = await ask<{ accounts: { id: string }[] }>(`${stack.baseUrl}/accounts`, { headers });
    const accountId = accounts[0]!.id;
    const { transactions } = await ask<{ transactions: { id: string }[] }>(
      `${stack.baseUrl}/accounts/${accountId}/transactions`,
      { headers },
    );
    ids = { accountId, transactionId: transactions[0]!.id, clientId: client.clientId };
    await dispatcher.close();
  }, LIMIT_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const basic = (): string => Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64');

  /** Runs the fuzzer over a document; its last line counts the cases. */
  async function fuzz(document: string, url: string, authorization: string): Promise<string> {
    const config = join(folder, 'schemathesis.toml');
    const known = Object.entries(ids).map(([name, id]) => `"path.${name}" = "${id}"`);
    writeFileSync(config, ['[parameters]', ...known, ''].join('\n'));
    const options = {
      url,
      'request-cert': join(folder, 'chain.pem'),
      'request-cert-key': join(folder, 'key.pem'),
      'tls-verify': stack.serverCa,
      header: `Authorization: ${authorization}`,
      checks: CHECKS.join(','),
      phases: 'examples,coverage,fuzzing',
      'max-examples': '5',
      'max-redirects': '0',
      // Its cases come from several threads in another order each time.
      workers: '1',
      seed: '1',
      warnings: 'off',
      // The client must live on.
      'exclude-name': 'DELETE /tpp/{clientId}',
    };
    const { file, args, env } = toolCommand('schemathesis', [
      '--config-file',
      config,
      '--no-color',
      'run',
      join(DOCUMENTS, `${document}.json`),
      '--continue-on-failure',
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    ]);
    // A machine's own bundle would go before the one of the command line.
    const trusting = { ...env, REQUESTS_CA_BUNDLE: stack.serverCa };
    const run = promisify(execFile)(file, args, { cwd: folder, env: trusting, maxBuffer: 1 << 26 });
    const { stdout } = await run.catch((error: { stdout?: string; message: string }) => {
      throw new Error(error.stdout ?? error.message);
    });
    return stdout;
  }

  it.each([
    ['account-and-payment', 'baseUrl'],
    ['registration', 'registrationUrl'],
    ['token', 'authUrl'],
    ['user', 'userUrl'],
  ] as const)(
    'finds no answer that %s.json does not describe (§7)',
    async (document, address) => {
      const said = await fuzz(
        document,
        stack[address],
        document === 'token' ? `Basic ${basic()}` : `Bearer ${token}`,
      );
      expect(said).toMatch(/^ {2}(\d+) generated, \1 passed$/m);
    },
    FUZZING_LIMIT_MS,
  );
});
