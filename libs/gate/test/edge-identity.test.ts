import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@kontoport/embedded/wait';
import { createPeerChainReader, type EdgeFormat, route } from '@kontoport/gate';
import { type FakePeers, startFakePeers, type TestTpp } from '@kontoport/testing/fake-peers';
import { exchange, rawGet, readRaw } from '@kontoport/testing/raw-http';
import { z } from 'zod';
import { serve } from './served.ts';
import { WRITTEN } from './written-headers.ts';

const who = route({
  clause: '§5.1',
  summary: 'A test',
  answers: { 200: { description: 'Who calls.', json: z.unknown(), example: {} } },
  method: 'GET',
  path: '/who',
  security: { kind: 'certificate' },
  handler: async ({ principal }) => ({
    status: 200,
    json: { organization: principal.certificate.organization.identifier },
  }),
});

let peers: FakePeers;
let served: Awaited<ReturnType<typeof serve>>;
let tpp: TestTpp;
const folders: string[] = [];

beforeAll(async () => {
  peers = await startFakePeers();
  served = await serve({ routes: [who], env: peers.env });
  tpp = await peers.addTpp();
});
afterAll(async () => {
  await served.close();
  await peers.close();
  for (const folder of folders) await rm(folder, { recursive: true });
});

async function ask(
  lines: readonly string[],
  port = served.port,
): Promise<{ status: number; errorCode?: unknown; message?: unknown }> {
  const { status, json } = readRaw(await exchange(port, rawGet('/who', lines)));
  return status === 200 ? { status } : { status, errorCode: json.errorCode, message: json.message };
}

/** A folder with the CA that issued the certificate: the format of nginx has the leaf alone. */
async function knowingTheIssuer(): Promise<{ INTERMEDIATES: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'kontoport-issuers-'));
  folders.push(folder);
  await writeFile(join(folder, 'issuing.pem'), peers.issuing.certificatePem);
  return { INTERMEDIATES: folder };
}

const edge = (): string => `X-Edge-Secret: ${peers.env.EDGE_SECRET!}`;
const leaf = (): string => `Client-Cert: ${tpp.certificateHeaders['client-cert']!}`;
const chain = (): string => `Client-Cert-Chain: ${tpp.certificateHeaders['client-cert-chain']!}`;

describe('the certificate that the edge forwards (§5; RFC 9440)', () => {
  it("is read from the edge's headers, leaf and chain", async () => {
    expect(await ask([edge(), leaf(), chain()])).toEqual({ status: 200 });
  });

  it('requires the secret in each request of a connection', async () => {
    const wrong = [`X-Edge-Secret: ${'x'.repeat(43)}`, leaf(), chain()];
    const right = [edge(), leaf(), chain()];
    const short = [edge().slice(0, -1), leaf(), chain()];
    const none = [leaf(), chain()];
    const twice = [edge(), ...right];
    const requests = [wrong, right, wrong, right, short, none, twice, right]
      .map((lines) => rawGet('/who', lines).replace('Connection: close\r\n', ''))
      .concat(rawGet('/who', wrong));
    const answers = await exchange(served.port, requests.join(''));
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
    expect(statuses).toEqual([401, 200, 401, 200, 401, 401, 401, 200, 401]);
  });

  it('is missing without a header', async () => {
    expect(await ask([edge()])).toMatchObject({ status: 401, errorCode: 'CERTIFICATE_MISSING' });
  });

  const other = ':AAAA:';
  it.each<[string, () => string[]]>([
    ['without the secret', () => [leaf(), chain()]],
    ['with a wrong secret', () => [`X-Edge-Secret: ${'x'.repeat(43)}`, leaf(), chain()]],
    ['with a secret that only begins right', () => [edge().slice(0, -1), leaf(), chain()]],
    ['with the secret twice', () => [edge(), edge(), leaf(), chain()]],
    ['with an empty secret', () => ['X-Edge-Secret:', leaf(), chain()]],
    ['with two leaf headers', () => [edge(), leaf(), leaf(), chain()]],
    ['with two leaf headers in different case', () => [edge(), leaf(), leaf().toUpperCase(), chain()]],
    ['with two chain headers', () => [edge(), leaf(), chain(), chain()]],
    ['with two leaf elements', () => [edge(), `${leaf()}, ${other}`, chain()]],
    ['with an empty leaf', () => [edge(), 'Client-Cert:', chain()]],
    ['with a chain alone', () => [edge(), chain()]],
    ['with PEM', () => [edge(), 'Client-Cert: -----BEGIN CERTIFICATE-----', chain()]],
    ['without colons', () => [edge(), leaf().replaceAll(':', '').replace('Client-Cert', 'Client-Cert:')]],
    ['with broken base64', () => [edge(), `${leaf().slice(0, -2)}*:`, chain()]],
    ['with base64 of stray bits', () => [edge(), 'Client-Cert: :AB==:']],
    ['with base64url', () => [edge(), 'Client-Cert: :_-8=:']],
    ['with an empty chain element', () => [edge(), leaf(), `${chain()},`]],
    ['with a parameter', () => [edge(), `${leaf()};a=1`, chain()]],
    ['with bytes that are no certificate', () => [edge(), `Client-Cert: ${other}`]],
  ])('is refused %s', async (_what, lines) => {
    expect(await ask(lines())).toMatchObject({ status: 401, errorCode: 'CERTIFICATE_INVALID' });
  });

  it.each<[string, () => string, string]>([
    ['11 certificates', () => Array(10).fill(other).join(', '), 'more than 10 certificates'],
    ['a chain of 50 KB', () => `:${'A'.repeat(50 * 1024)}:`, 'the chain is too large'],
  ])('rejects %s before parsing it', async (_what, value, reason) => {
    expect(await ask([edge(), leaf(), `Client-Cert-Chain: ${value()}`])).toMatchObject({
      status: 401,
      errorCode: 'CERTIFICATE_INVALID',
      message: expect.stringContaining(reason),
    });
  });

  it('is refused with headers of more than 64 KB, as JSON', async () => {
    const answer = await ask([edge(), leaf(), `X-Padding: ${'x'.repeat(70 * 1024)}`]);
    expect(answer).toMatchObject({ status: 431, errorCode: 'FORMAT_ERROR' });
  });

  it("is refused from another address, even with the edge's secret", async () => {
    const elsewhere = await serve({
      routes: [who],
      env: { ...peers.env, EDGE_ADDRESSES: '10.0.0.0/8,127.0.0.2,::1' },
    });
    const response = await fetch(`${elsewhere.origin}/who`, { headers: tpp.certificateHeaders });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ errorCode: 'CERTIFICATE_INVALID' });
    await elsewhere.close();
  });
});

describe.each(['rfc9440', 'xfcc', 'nginx', 'traefik', 'haproxy'] as const)(
  'EDGE_FORMAT=%s (§5.1)',
  (format) => {
    let here: Awaited<ReturnType<typeof serve>>;
    beforeAll(async () => {
      const env = { ...peers.env, EDGE_FORMAT: format, ...(await knowingTheIssuer()) };
      here = await serve({ routes: [who], env });
    });
    afterAll(() => here.close());

    const askHere = (lines: readonly string[]) => ask(lines, here.port);
    const linesOf = (other: EdgeFormat): string[] =>
      Object.entries(WRITTEN[other](tpp.qwac.chain)).map(([name, value]) => `${name}: ${value}`);
    const refused = { status: 401, errorCode: 'CERTIFICATE_INVALID' };
    const others = (Object.keys(WRITTEN) as EdgeFormat[]).filter((other) => other !== format);

    it('is read', async () => {
      expect(await askHere([edge(), ...linesOf(format)])).toEqual({ status: 200 });
    });

    it('requires the secret of the edge', async () => {
      expect(await askHere(linesOf(format))).toMatchObject(refused);
    });

    it.each(others)('refuses the headers of %s, alone and beside its own', async (other) => {
      const because = { ...refused, message: expect.stringContaining('the edge does not use') };
      expect(await askHere([edge(), ...linesOf(other)])).toMatchObject(because);
      expect(await askHere([edge(), ...linesOf(format), ...linesOf(other)])).toMatchObject(because);
      expect(await askHere(linesOf(other))).toMatchObject(refused);
    });

    it('rejects its header spelled with underscores, alone and beside the right one', async () => {
      const underscored = linesOf(format).map((line) =>
        line.replace(/^[^:]+/, (name) => name.replaceAll('-', '_')),
      );
      expect(await askHere([edge(), ...underscored])).toMatchObject(refused);
      expect(await askHere([edge(), ...linesOf(format), ...underscored])).toMatchObject(refused);
    });

    it.each<[string, (line: string, name: string) => readonly string[], string]>([
      ['twice', (line) => [line, line], 'more than once'],
      ['empty', (_line, name) => [`${name}:`], 'the agreed form'],
      ['as garbage', (_line, name) => [`${name}: *&%zz`], 'the agreed form'],
      ['with 50 KB', (_line, name) => [`${name}: ${'A'.repeat(50 * 1024)}`], 'too large'],
    ])('refuses its header %s', async (_what, lines, because) => {
      const [line] = linesOf(format) as [string];
      expect(await askHere([edge(), ...lines(line, line.split(':')[0]!)])).toMatchObject({
        ...refused,
        message: expect.stringContaining(because),
      });
    });
  },
);

describe('EDGE_SECRET with several secrets (§5.1, ADR-0005)', () => {
  const [older, newer] = ['o'.repeat(32), `newer=${'n'.repeat(40)}`];
  const shown = (secret: string): string => `X-Edge-Secret: ${secret}`;
  /** The statuses that a service with this list gives to these secrets, one after the other over one connection. */
  async function statusesOf(list: string, secrets: readonly string[]): Promise<number[]> {
    const here = await serve({ routes: [who], env: { ...peers.env, EDGE_SECRET: list } });
    const requests = secrets.map((secret) => rawGet('/who', [shown(secret), leaf(), chain()]));
    const last = requests.pop()!;
    const kept = requests.map((request) => request.replace('Connection: close\r\n', ''));
    const answers = await exchange(here.port, [...kept, last].join(''));
    await here.close();
    return [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  }

  it('accepts the old and the new secret in any order, and no other', async () => {
    const tried = [older, newer, 'x'.repeat(32), older, '', newer.slice(1), newer, `${older},${newer}`];
    const heard = [200, 200, 401, 200, 401, 401, 200, 401];
    expect(await statusesOf(`${older},${newer}`, tried)).toEqual(heard);
    expect(await statusesOf(`${newer} , ${older}`, tried)).toEqual(heard);
  });

  it('rejects the old secret after its removal', async () => {
    expect(await statusesOf(newer, [older, newer, older])).toEqual([401, 200, 401]);
  });

  it.each([
    ['an empty one', `${older},`, 'at least 32 characters'],
    ['one that is short', `${older},hunter2`, 'at least 32 characters'],
    ['six', [1, 2, 3, 4, 5, 6].map((n) => older + String(n)).join(), 'up to 5 such secrets'],
    ['one twice', `${older}, ${older}`, 'no secret twice'],
  ])('rejects %s without repeating it', async (_what, EDGE_SECRET, fault) => {
    const refused = await serve({ routes: [who], env: { ...peers.env, EDGE_SECRET } }).then(
      () => 'served',
      (error: Error) => error.message,
    );
    expect(refused).toContain('EDGE_SECRET: ');
    expect(refused).toContain(fault);
    expect(refused).not.toMatch(/ooo|hunter2/);
  });
});

describe('a leaf without its chain (§5.1)', () => {
  const leafAlone = (): string[] => [edge(), leaf()];

  it('is refused with an unknown issuer, and accepted when INTERMEDIATES contains it', async () => {
    expect(await ask(leafAlone())).toMatchObject({
      status: 401,
      errorCode: 'CERTIFICATE_INVALID',
      message: expect.stringMatching(/^issuer: no certificate of Test Issuing CA/),
    });
    const here = await serve({ routes: [who], env: { ...peers.env, ...(await knowingTheIssuer()) } });
    expect(await ask(leafAlone(), here.port)).toEqual({ status: 200 });
    await here.close();
  });

  it('is accepted once its issuer is added', async () => {
    const known = await knowingTheIssuer();
    await writeFile(join(known.INTERMEDIATES, 'issuing.pem'), peers.ca.certificatePem);
    const here = await serve({ routes: [who], env: { ...peers.env, ...known } });
    expect(await ask(leafAlone(), here.port)).toMatchObject({ status: 401 });
    await writeFile(join(known.INTERMEDIATES, 'more.pem'), peers.issuing.certificatePem);
    await until(async () => (await ask(leafAlone(), here.port)).status === 200, { what: 'the issuer' });
    await here.close();
  });

  it('prevents the start when the folder is missing', async () => {
    const env = { ...peers.env, INTERMEDIATES: '/nowhere', TRUST_ANCHORS: '/nowhere' };
    await expect(serve({ routes: [who], env })).rejects.toThrow('TRUST_ANCHORS: The trust-anchor folder');
    await expect(serve({ routes: [who], env: { ...peers.env, INTERMEDIATES: '/nowhere' } })).rejects.toThrow(
      'INTERMEDIATES: The folder of issuing CAs /nowhere cannot be read.',
    );
  });
});

describe('the addresses of the edge', () => {
  it.each([
    '10.0.0.0/',
    '10.0.0.0/33',
    '::1/129',
    '10.0.0.0/0x8',
    '10.0.0.0/8/9',
    'localhost',
    '10.0.0',
    '/8',
    '',
  ])('rejects %j', (entry) => {
    expect(() =>
      createPeerChainReader({
        addresses: ['127.0.0.1', entry],
        secrets: ['x'.repeat(32)],
        format: 'rfc9440',
      }),
    ).toThrow('EDGE_ADDRESSES: element 2');
  });

  it.each(['10.0.0.0/8', '127.0.0.1', '::1', 'fd00::/8', '0.0.0.0/0'])('accepts %j', (entry) => {
    expect(
      createPeerChainReader({ addresses: [entry], secrets: ['x'.repeat(32)], format: 'rfc9440' }),
    ).toBeInstanceOf(Function);
  });
});
