import { execFile, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWith } from '@kontoport/testing/describe-with';
import { Agent, fetch as fetchBy } from 'undici';
import type { StackFile } from '../src/stack-file.ts';
import { LIMIT_MS, useStack } from './started-stack.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../../..');
const RUN_LIMIT_MS = 300_000;
const { data, start } = useStack('file');

/** A program of PATH, or one that CI installs into the repository. */
const found = (name: string, ...places: string[]): string | undefined =>
  places.map((place) => join(root, place)).find((place) => existsSync(place)) ??
  (spawnSync('sh', ['-c', `command -v ${name}`]).status === 0 ? name : undefined);

const go = found('go', '.local/go/go/bin/go');

/** The command of a sample of each language; C# is not run, because no machine of ours has .NET. */
const RUNNERS = [
  { language: 'sh', tool: found('curl'), file: 'sample.sh', args: ['sample.sh'], command: 'bash' },
  { language: 'ts', tool: process.execPath, file: 'sample.ts', args: ['sample.ts'] },
  { language: 'python', tool: found('python3'), file: 'sample.py', args: ['sample.py'] },
  { language: 'go', tool: go, file: 'sample.go', args: ['run', 'sample.go'] },
  { language: 'java', tool: found('javac') && found('java'), file: 'Sample.java', args: ['Sample.java'] },
] as const;

/** Operations of every kind of access and body, and the status that each has. */
const OPERATIONS = [
  ['authUrl', 'postOauth2Token', 200],
  ['baseUrl', 'getAccounts', 200],
  ['baseUrl', 'getV2AccountsByAccountIdTransactions', 200],
  ['baseUrl', 'postFundsConfirmation', 200],
  ['baseUrl', 'getErrorsByErrorCode', 200],
  ['baseUrl', 'deleteV1WebhookSubscriptionsById', 404],
] as const;

let stack: StackFile;
let folder: string;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  stack = await start('--no-tour').ready();
  folder = join(data(), 'samples');
  mkdirSync(folder);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  copyFileSync(stack.serverCa, join(folder, 'ca.pem'));
  const mint = ['qwac', 'mint', '--name', 'Sample', '--p12', '--data', data(), '--out', join(folder, 'qwac')];
  await run(process.execPath, ['scripts/programs/kontoport/kontoport.mjs', ...mint], { cwd: root });
  for (const file of ['chain.pem', 'key.pem', 'store.p12'])
    copyFileSync(join(folder, 'qwac', file), join(folder, file));
  environment = { ...process.env, P12_PASSWORD: 'kontoport', ...(await credentials()) };
}, LIMIT_MS);

/** Registers a client, and reads what the samples take from the environment. */
async function credentials(): Promise<Record<string, string>> {
  const pem = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const dispatcher = new Agent({
    connect: { ca: pem('ca.pem'), cert: pem('chain.pem'), key: pem('key.pem') },
  });
  const call = async (url: string, init: object = {}): Promise<Record<string, never>> =>
    (await (await fetchBy(url, { ...init, dispatcher })).json()) as Record<string, never>;
  try {
    const { clientId, clientSecret } = await call(`${stack.registrationUrl}/tpp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Sample',
        roles: ['PSP_AI', 'PSP_PI'],
        redirectUris: ['https://tpp.example/callback'],
      }),
    });
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const { access_token: token } = await call(`${stack.authUrl}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    });
    const { accounts } = await call(`${stack.baseUrl}/accounts`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const [{ id }] = accounts as unknown as [{ id: string }];
    return {
      CLIENT_ID: clientId!,
      CLIENT_SECRET: clientSecret!,
      TOKEN: token!,
      ACCOUNT_ID: id,
      ERROR_CODE: 'TOKEN_EXPIRED',
      ID: 'c56a4180-65aa-42ec-a945-5fd21dec0538',
    };
  } finally {
    await dispatcher.close();
  }
}

/** The sample of an operation in a language, as its page shows it. */
async function sampleOf(url: string, operationId: string, language: string): Promise<string> {
  const dispatcher = new Agent({ connect: { ca: readFileSync(stack.serverCa, 'utf8') } });
  try {
    const page = await (await fetchBy(`${url}/documentation/${operationId}.md`, { dispatcher })).text();
    const [, code] = new RegExp(`### [^\\n]+\\n\\n\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\``).exec(page)!;
    return code!;
  } finally {
    await dispatcher.close();
  }
}

for (const { language, tool, file, args, ...runner } of RUNNERS)
  describeWith(
    `the samples of the reference in ${language} (§9.5)`,
    { missing: tool === undefined ? `no tool for ${language}: install it` : undefined },
    () => {
      const command = 'command' in runner ? runner.command : tool!;

      it(
        'verify the signature of a webhook as they stand (§5.8)',
        async () => {
          writeFileSync(
            join(folder, file),
            `${await sampleOf(stack.baseUrl, 'onPostingCreatedV1', language)}\n`,
          );
          const body = '{"title":"Rød grød"}';
          const signature = createHmac('sha256', 'a key').update(body).digest('hex');
          const verify = (sent: string, sentSignature = signature): string =>
            spawnSync(command, args, {
              cwd: folder,
              input: sent,
              encoding: 'utf8',
              env: { ...environment, SUBSCRIPTION_KEY: 'a key', SIGNATURE: sentSignature },
            }).stdout;
          const said = [verify(body), verify(`${body} `), verify(body, `${signature}zz`)];
          expect(said).toEqual(['valid\n', 'invalid\n', 'invalid\n']);
        },
        RUN_LIMIT_MS,
      );

      it.each(OPERATIONS)(
        'call %s %s as they stand: %d',
        async (address, operationId, status) => {
          writeFileSync(join(folder, file), `${await sampleOf(stack[address], operationId, language)}\n`);
          const { stdout } = await run(command, args, { cwd: folder, env: environment });
          expect(stdout).toMatch(new RegExp(`^(HTTP/[\\d.]+ )?${status} `));
        },
        RUN_LIMIT_MS,
      );
    },
  );
