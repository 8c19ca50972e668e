import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type ClientRequest, createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import {
  createClient,
  type KontoportClient,
  verifyWebhook,
  WebhookVerificationError,
} from '@kontoport/client';
import { until } from '@kontoport/embedded/wait';
import { mintQwac, readIssuer } from '@kontoport/issuing';
import type { StackFile } from '../src/stack-file.ts';
import { describeCollection } from './collection-suite.ts';
import { LIMIT_MS, useStack } from './started-stack.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../../..');
const PACKAGE = join(ROOT, 'libs/client');
const MAX_BUILT_BYTES = 20_000;
const REDIRECT_URI = 'https://tpp.example/callback';
const { data, start } = useStack('file');

interface Delivered {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

let stack: StackFile;
let bank: KontoportClient;
let accountId: string;
let receiver: Server;
const delivered: Delivered[] = [];

beforeAll(async () => {
  stack = await start('--no-tour').ready();
  const { chainPem, keyPem } = await mintQwac({
    request: {
      name: 'Client',
      roles: ['PSP_AI', 'PSP_PI'],
      organizationIdentifier: 'PSDDK-DFSA-4714',
      days: 1,
    },
    issuer: await readIssuer(stack.issuingCa),
    at: new Date(),
  });
  for (const [file, text] of [
    ['chain.pem', chainPem],
    ['key.pem', keyPem],
    ['ca.pem', readFileSync(stack.serverCa)],
  ] as const)
    writeFileSync(join(data(), file), text);
  const { baseUrl, registrationUrl, authUrl } = stack;
  const options = {
    baseUrl,
    registrationUrl,
    authUrl,
    cert: chainPem,
    key: keyPem,
    ca: readFileSync(stack.serverCa),
  };
  const stranger = createClient(options);
  const registered = await stranger.post('/tpp', {
    body: { name: 'Client', roles: ['PSP_AI', 'PSP_PI'], redirectUris: [REDIRECT_URI] },
  });
  stranger.close();
  bank = createClient({ ...options, ...registered });
  const { accounts } = await bank.get('/accounts');
  accountId = accounts.find(({ currency }) => currency === 'DKK')!.id;
  receiver = createServer((request, response) => {
    void buffer(request).then((body) => {
      delivered.push({ headers: request.headers, body });
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
}, LIMIT_MS);

afterAll(async () => {
  bank.close();
  receiver.closeAllConnections();
  receiver.close();
  await once(receiver, 'close');
});

/** Posts a transaction in the sandbox. @returns its id */
async function post(amount: number): Promise<string> {
  const { transactionId } = await bank.post('/sandbox/accounts/{accountId}/postings', {
    path: { accountId },
    body: { amount, currency: 'DKK', title: 'Café Ø' },
  });
  return transactionId;
}

/** The tokens of the calls that some work makes. */
async function tokensOf(work: () => Promise<unknown>): Promise<unknown[]> {
  const tokens: unknown[] = [];
  const notice = (message: unknown): void => {
    const { request } = message as { request: ClientRequest };
    const [scheme, token] = String(request.getHeader('authorization')).split(' ');
    if (scheme === 'Bearer') tokens.push(token);
  };
  subscribe('http.client.request.start', notice);
  try {
    await work();
  } finally {
    unsubscribe('http.client.request.start', notice);
  }
  return tokens;
}

describe('the client for TypeScript (§4)', () => {
  it('calls all three addresses and knows the types of their answers', async () => {
    const { keys } = await bank.get('/.well-known/jwks.json');
    expect(keys).not.toEqual([]);
    const { now } = await bank.get('/sandbox/clock');
    expect(Date.parse(now)).not.toBeNaN();
    // @ts-expect-error: a path that does not exist
    await expect(bank.get('/no-such-path')).rejects.toMatchObject({
      status: 404,
      errorCode: 'ROUTE_UNKNOWN',
    });
  });

  it('replaces a token that the bank rejects (§5.3)', async () => {
    const [token] = await tokensOf(async () => bank.get('/accounts'));
    await bank.post('/oauth2/revoke', { body: { token: String(token) } });
    for (const path of [
      '/accounts/{accountId}/transactions',
      '/v2/accounts/{accountId}/transactions',
    ] as const) {
      const tokens = await tokensOf(async () => bank.get(path, { path: { accountId } }));
      expect(tokens.at(-1)).not.toBe(token);
      const call = bank.get(path, { path: { accountId }, token: String(token) });
      await expect(call).rejects.toMatchObject({ errorCode: 'TOKEN_INVALID' });
    }
  });

  it('reads all pages of a list without a gap while others are added (§4.3)', async () => {
    const path = { accountId };
    const posted: string[] = [];
    for (let isFull = true; isFull;) {
      const query = { limit: 500, offset: posted.length };
      const { transactions } = await bank.get('/accounts/{accountId}/transactions', { path, query });
      posted.push(...transactions.map(({ id, status }) => (status === 'financial' ? id : '')));
      isFull = transactions.length === query.limit;
    }
    const read: string[] = [];
    for await (const page of bank.paginate('/v2/accounts/{accountId}/transactions', {
      path,
      query: { limit: 400 },
    })) {
      read.push(...page.posted.map(({ id }) => id));
      await post(1);
    }
    expect(read.length).toBeGreaterThan(400);
    expect(read.toSorted()).toEqual(posted.filter((id) => id !== '').toSorted());
  });

  it('initiates a payment once, however often it is sent (§4.5)', async () => {
    const body = {
      receiverAccountBban: '00400440116243',
      receiverName: 'Havnens Boligforening',
      amount: '1.00',
      currency: 'DKK',
      senderAccountId: accountId,
      redirectUrl: REDIRECT_URI,
    };
    const requestId = randomUUID();
    const first = await bank.post('/payments/domestic-credit-transfer', { body, requestId });
    expect(await bank.post('/payments/domestic-credit-transfer', { body, requestId })).toEqual(first);
    const payments: string[] = [];
    for await (const page of bank.paginate('/payments/domestic-credit-transfer', { query: { limit: 1 } }))
      payments.push(...page.payments.map(({ paymentId }) => paymentId));
    expect(payments).toEqual([first.paymentId]);
  });

  it('verifies a webhook, and refuses it once altered (§5.8)', async () => {
    const { port } = receiver.address() as AddressInfo;
    const id = randomUUID();
    const { subscriptionKey } = await bank.post('/v1/webhook-subscriptions/{id}', {
      path: { id },
      body: { callbackUrl: `http://127.0.0.1:${port}/`, eventTypes: ['Posting.CreatedV1'] },
    });
    const ledgerPostingId = await post(12.5);
    const { headers, body } = await until(
      () => delivered.find((each) => each.body.includes(ledgerPostingId)),
      { timeout: LIMIT_MS, what: 'the webhook' },
    );
    expect(verifyWebhook(subscriptionKey, headers, body)).toMatchObject({
      subscriptionId: id,
      eventType: 'Posting.CreatedV1',
      data: { amount: { value: '12.50', currency: 'DKK', credit: true } },
    });
    const altered = Buffer.from(body.toString().replace('12.50', '92.50'));
    expect(() => verifyWebhook(subscriptionKey, headers, altered)).toThrow(WebhookVerificationError);
  });
});

describeCollection(() => stack, data);

describe('the package of the client', () => {
  it(
    'is installed without a registry, and its README works as it stands',
    async () => {
      const folder = join(data(), 'package');
      mkdirSync(folder);
      await run(process.execPath, ['libs/client/build.ts'], { cwd: ROOT });
      const sizes = globSync(join(PACKAGE, 'dist/*.js')).map((file) => statSync(file).size);
      expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MAX_BUILT_BYTES);
      const { stdout: tarball } = await run('npm', ['pack', join(PACKAGE, 'dist'), '--silent'], {
        cwd: folder,
      });
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      await run('npm', ['install', '--offline', '--silent', tarball.trim()], { cwd: folder });
      const readme = readFileSync(join(folder, 'node_modules/@kontoport/client/README.md'), 'utf8');
      const places = {
        'https://localhost:8443': stack.baseUrl,
        'https://localhost:8444': stack.registrationUrl,
        'https://localhost:8445': stack.authUrl,
        "'chain.pem'": `'${join(data(), 'chain.pem')}'`,
        "'key.pem'": `'${join(data(), 'key.pem')}'`,
        "'ca.pem'": `'${join(data(), 'ca.pem')}'`,
      };
      const [, code] = /```js\n([\s\S]*?)```/.exec(readme)!;
      const sample = Object.entries(places).reduce((text, [from, to]) => text.replaceAll(from, to), code!);
      writeFileSync(join(folder, 'sample.js'), sample);
      // Of the machine as well, which is older than the one of the packages.
      const nodes = [process.execPath, ...['/usr/local/bin/node', '/usr/bin/node'].filter(isNode)];
      for (const node of nodes) {
        const { stdout } = await run(node, ['sample.js'], { cwd: folder });
        expect(stdout).toMatch(/^.+ [1-9]\d*\n/);
      }
      // Its types hold as well, without the options of this repository.
      writeFileSync(join(folder, 'sample.ts'), sample);
      const tsc = join(ROOT, 'node_modules/.bin/tsc');
      const options = [
        '--noEmit',
        '--strict',
        '--module',
        'nodenext',
        '--typeRoots',
        join(ROOT, 'node_modules/@types'),
      ];
      const { stdout } = await run(tsc, [...options, '--types', 'node', 'sample.ts'], { cwd: folder });
      expect(stdout).toBe('');
    },
    LIMIT_MS,
  );
});

const isNode = (path: string): boolean => spawnSync(path, ['--version']).status === 0;
