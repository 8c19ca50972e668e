import { createHash } from 'node:crypto';
import { freePorts } from '@kontoport/embedded/port';
import type { EdgeFormat } from '@kontoport/gate';
import { describeWith } from '@kontoport/testing/describe-with';
import { testCa, type TestQwac, testQwac } from '@kontoport/testing/qwac';
import { startEdge } from '../src/edge.ts';
import { EDGE_ADDRESSES, EDGE_ROUTES } from '../src/routes.ts';
import { EdgeScene, type Presented, type RawAnswer } from './edge-scene.ts';
import { missingFor, REAL_EDGES, type RealEdge, type RunningEdge, startRealEdge } from './real-edge.ts';

const DAY_MS = 86_400_000;

/** Places of certificates in the headers of each format. */
const OF_THE_FORMAT: Readonly<Record<EdgeFormat, RegExp>> = {
  rfc9440: /^client-cert(-chain)?$/,
  xfcc: /^x-forwarded-client-cert$/,
  nginx: /^ssl-client-cert$/,
  traefik: /^x-forwarded-tls-client-cert$/,
  haproxy: /^x-ssl-client-(cert|chain)$/,
};
const CERTIFICATE_NAMES = [
  'Client-Cert',
  'Client-Cert-Chain',
  'X-Forwarded-Client-Cert',
  'ssl-client-cert',
  'X-Forwarded-Tls-Client-Cert',
  'X-SSL-Client-Cert',
  'X-SSL-Client-Chain',
];
const ANY_CERTIFICATE = /client[-_]cert|client[-_]chain/;

interface Row {
  name: string;
  format: EdgeFormat;
  missing: string | undefined;
  /** nginx forwards the leaf alone. */
  handsOverChain: boolean;
  /** HAProxy answers unreadable requests with a page that cannot be changed. */
  readsInJson: boolean;
  start: (
    scene: Pick<EdgeScene, 'server' | 'peers' | 'upstreams'>,
    change?: (recipe: string) => string,
  ) => Promise<RunningEdge>;
  /** The recipe with resumption of sessions, which it rules out. */
  resuming?: (recipe: string) => string;
}

const real = (
  edge: RealEdge,
  row: Pick<Row, 'format' | 'handsOverChain' | 'readsInJson' | 'resuming'>,
): Row => ({
  name: edge.name,
  missing: missingFor(edge),
  ...row,
  start: (scene, change) =>
    startRealEdge(edge, {
      server: scene.server,
      trustedCas: scene.peers.ca.certificatePem,
      edgeSecret: scene.peers.env.EDGE_SECRET!,
      upstreams: scene.upstreams,
      ...(change ? { change } : {}),
    }),
});

const ROWS: readonly Row[] = [
  {
    name: 'the edge of a laptop',
    format: 'rfc9440',
    missing: undefined,
    handsOverChain: true,
    readsInJson: true,
    start: (scene) =>
      startEdge({
        hosts: ['127.0.0.1'],
        ports: { base: 0, registration: 0, auth: 0, user: 0 },
        server: scene.server,
        upstreams: scene.upstreams,
        edgeSecret: scene.peers.env.EDGE_SECRET!,
        connections: { perAddress: 500, inAll: 1_000 },
        handshakeMs: 10_000,
      }),
  },
  real(REAL_EDGES.nginx, {
    format: 'nginx',
    handsOverChain: false,
    readsInJson: true,
    resuming: (recipe) =>
      recipe
        .replace('ssl_session_tickets off', 'ssl_session_tickets on')
        .replace('ssl_session_cache off', 'ssl_session_cache shared:sessions:1m'),
  }),
  real(REAL_EDGES.haproxy, {
    format: 'haproxy',
    handsOverChain: true,
    readsInJson: false,
    resuming: (recipe) => recipe.replace(' no-tls-tickets', '').replace('tune.ssl.cachesize 0', ''),
  }),
  real(REAL_EDGES.envoy, {
    format: 'xfcc',
    handsOverChain: true,
    readsInJson: true,
    resuming: (recipe) => recipe.replaceAll(/disable_state(less|ful)_session_resumption: true/g, ''),
  }),
];

const present = (qwac: Pick<TestQwac, 'chainPem' | 'keyPem'>): Presented => ({
  cert: qwac.chainPem,
  key: qwac.keyPem,
});
const sha256 = ({ chain }: TestQwac): string => createHash('sha256').update(chain[0]!).digest('base64url');
const sessionOf = ({ session }: RawAnswer): Presented => (session ? { session } : {});
const jsonOf = ({ status, body }: RawAnswer) => ({ status, ...(JSON.parse(body) as object) });

async function summary(answer: Promise<RawAnswer>): Promise<readonly unknown[]> {
  const { resumed, status, body } = await answer;
  const { thumbprint, errorCode } = JSON.parse(body) as { thumbprint?: string; errorCode?: string };
  return [resumed, status, thumbprint ?? errorCode];
}

for (const row of ROWS)
  describeWith(`${row.name}, EDGE_FORMAT=${row.format} (§5.1)`, { missing: row.missing }, () => {
    const scene = new EdgeScene();
    let tpp: TestQwac;
    let other: TestQwac;
    /** The path of the service that can judge the certificate of a TPP which presents its chain. */
    const path = row.handsOverChain ? '/accounts' : '/payments';
    const mint = (change: Partial<Parameters<typeof testQwac>[0]> = {}) =>
      testQwac({
        issuer: scene.peers.issuing,
        organizationName: 'Test TPP',
        organizationIdentifier: 'PSDDK-DFSA-1',
        ...change,
      });

    beforeAll(async () => {
      await scene.open(row.format, row.start);
      [tpp, other] = [await mint(), await mint()];
    });
    afterAll(() => scene.close());

    const ask = (presented: Presented, lines: readonly string[] = [], at = path) =>
      scene.ask('base', { line: `GET ${at}`, lines, presented });

    it.each(['TLSv1.2', 'TLSv1.3'] as const)('hands over who calls: %s', async (version) => {
      const answer = await ask({ ...present(tpp), minVersion: version, maxVersion: version });
      expect(jsonOf(answer)).toMatchObject({ status: 200, thumbprint: sha256(tpp) });
    });

    it('hands over the chain of RSA certificates, too', async () => {
      const issuer = await testCa({
        name: 'RSA Issuing CA',
        issuer: scene.peers.issuing,
        algorithm: 'RSA-2048',
      });
      const qwac = await mint({ issuer, algorithm: 'RSA-2048' });
      const chainPem = qwac.chainPem + scene.peers.issuing.certificatePem;
      const answer = jsonOf(await ask({ ...present(qwac), cert: chainPem }));
      // Two issuers are between the leaf and the CA that the service knows.
      expect(answer).toMatchObject(
        row.handsOverChain ? { status: 200 } : { status: 401, errorCode: 'CERTIFICATE_INVALID' },
      );
    });

    it('leaves it to the service to refuse a certificate that has expired', async () => {
      const expired = await mint({
        notBefore: new Date(Date.now() - 3 * DAY_MS),
        notAfter: new Date(Date.now() - DAY_MS),
      });
      expect(jsonOf(await ask(present(expired)))).toMatchObject({
        status: 401,
        errorCode: 'CERTIFICATE_EXPIRED',
      });
      const posted = await scene.seen('registration', {
        line: 'POST /tpp',
        body: '{"name":"x"}',
        presented: present(expired),
      });
      expect(posted).toMatchObject({
        service: 'registration',
        method: 'POST',
        url: '/tpp',
        body: '{"name":"x"}',
      });
      expect(posted.headers.filter(([name]) => ANY_CERTIFICATE.test(name)).length).toBeGreaterThan(0);
    });

    it.each([
      [12, 401],
      [90, row.format === 'xfcc' ? 431 : 401],
    ])(
      'lets the service refuse a chain of %i certificates, all of which it was handed',
      async (count, status) => {
        const cert = tpp.chainPem + scene.peers.issuing.certificatePem.repeat(count - 2);
        const answer = await ask({ cert, key: tpp.keyPem });
        expect(answer.status).toBe(row.handsOverChain ? status : 200);
        expect(jsonOf(answer)).toHaveProperty(row.handsOverChain ? 'errorCode' : 'thumbprint');
      },
    );

    it('leaves it to the service to refuse an issuer that nobody trusts', async () => {
      const stranger = await mint({ issuer: await testCa({ name: 'Stranger' }) });
      expect(jsonOf(await ask(present(stranger)))).toMatchObject({
        status: 401,
        errorCode: 'CERTIFICATE_INVALID',
      });
    });

    it('lets the service complete the path of a leaf that was presented alone, where it knows the issuer', async () => {
      const alone = { cert: tpp.certificatePem, key: tpp.keyPem };
      expect(jsonOf(await ask(alone, [], '/accounts'))).toMatchObject({
        status: 401,
        errorCode: 'CERTIFICATE_INVALID',
        message: expect.stringMatching(/^issuer: no certificate of Test Issuing CA/),
      });
      expect(jsonOf(await ask(alone, [], '/payments'))).toMatchObject({
        status: 200,
        thumbprint: sha256(tpp),
      });
    });

    it('lets a caller without certificate through, whom the service asks for one', async () => {
      expect(jsonOf(await ask({}))).toMatchObject({ status: 401, errorCode: 'CERTIFICATE_MISSING' });
      expect(
        (await scene.seen('registration')).headers.filter(([name]) => ANY_CERTIFICATE.test(name)),
      ).toEqual([]);
    });

    it.each(['TLSv1.2', 'TLSv1.3'] as const)(
      'has the certificate of this handshake, whatever session the client brings along: %s',
      async (version) => {
        const versions = { minVersion: version, maxVersion: version };
        const first = await ask({ ...present(tpp), ...versions });
        const again = await ask({ ...present(tpp), ...versions, ...sessionOf(first) });
        expect(jsonOf(again)).toMatchObject({ status: 200, thumbprint: sha256(tpp) });
        const changed = await ask({ ...present(other), ...versions, ...sessionOf(first) });
        expect(jsonOf(changed)).toMatchObject({ status: 200, thumbprint: sha256(other) });
        const nobody = await ask({ ...versions, ...sessionOf(first) });
        expect(jsonOf(nobody)).toMatchObject({ status: 401, errorCode: 'CERTIFICATE_MISSING' });
        const anonymous = await ask(versions);
        const presenting = await ask({ ...present(tpp), ...versions, ...sessionOf(anonymous) });
        expect(jsonOf(presenting)).toMatchObject({ status: 200, thumbprint: sha256(tpp) });
        expect([again, changed, nobody, presenting].map(({ resumed }) => resumed)).toEqual(
          Array(4).fill(false),
        );
      },
    );

    const { resuming } = row;
    if (resuming)
      it.each(['TLSv1.2', 'TLSv1.3'] as const)(
        'would know whose session it is, and nothing of the handshake, if it resumed sessions: %s',
        async (version) => {
          const versions = { minVersion: version, maxVersion: version };
          const edge = await row.start(scene, resuming);
          const askThere = (presented: Presented) =>
            scene.ask('base', { line: 'GET /payments', presented: { ...presented, ...versions }, edge });
          try {
            const askAgain = (presented: Presented, of: RawAnswer) =>
              askThere({ ...presented, ...sessionOf(of) });
            const [own, anonymous] = [await askThere(present(tpp)), await askThere({})];
            for (const presented of [present(tpp), present(other), {}])
              expect(await summary(askAgain(presented, own))).toEqual([true, 200, sha256(tpp)]);
            expect(await summary(askAgain(present(tpp), anonymous))).toEqual([
              true,
              401,
              'CERTIFICATE_MISSING',
            ]);
          } finally {
            await edge.close();
          }
        },
      );

    it('takes from callers what only the edge may say, in any spelling and number', async () => {
      const forged = [...CERTIFICATE_NAMES, 'X-Edge-Secret'].flatMap((name) => [
        `${name}: forged`,
        `${name.toLowerCase()}: forged`,
        `${name.replaceAll('-', '_')}: forged`,
        `${name.replace('-', '_')}: forged`,
      ]);
      const lines = [...forged, 'X-Forwarded-For: 203.0.113.1', 'Forwarded: for=203.0.113.1'];
      for (const address of EDGE_ADDRESSES.filter((name) => name !== 'base')) {
        const { headers } = await scene.seen(address, { lines });
        expect(headers.filter(([, value]) => value.includes('forged'))).toEqual([]);
        expect(headers.filter(([, value]) => value.includes('203.0.113.1'))).toEqual([]);
        expect(headers.filter(([name]) => ANY_CERTIFICATE.test(name))).toEqual([]);
        expect(headers.filter(([name]) => name.includes('secret'))).toEqual([
          ['x-edge-secret', scene.peers.env.EDGE_SECRET],
        ]);
      }
      expect(jsonOf(await ask({}, lines))).toMatchObject({ status: 401, errorCode: 'CERTIFICATE_MISSING' });
      expect(jsonOf(await ask(present(tpp), lines))).toMatchObject({ status: 200, thumbprint: sha256(tpp) });
    });

    it('sends the headers of its format, each once, and those of no other', async () => {
      for (const address of ['registration', 'auth'] as const) {
        const { headers } = await scene.seen(address, { presented: present(tpp) });
        const names = headers.map(([name]) => name).filter((name) => ANY_CERTIFICATE.test(name));
        expect(names.length).toBeGreaterThan(0);
        expect(new Set(names).size).toBe(names.length);
        expect(names.filter((name) => !OF_THE_FORMAT[row.format].test(name))).toEqual([]);
      }
    });

    it('answers at {user_url} without asking for a certificate, and hands none over', async () => {
      const { service, headers } = await scene.seen('user', { presented: present(tpp) });
      expect(service).toBe('user');
      expect(headers.filter(([name]) => ANY_CERTIFICATE.test(name))).toEqual([]);
    });

    it.each(['base', 'registration', 'auth', 'user'] as const)(
      'answers 17 KB of headers with 431 at %s, and goes on',
      async (address) => {
        const { status } = await scene.ask(address, { lines: [`X-Padding: ${'x'.repeat(17 * 1024)}`] });
        expect(status).toBe(431);
        expect((await ask(present(tpp))).status).toBe(200);
      },
    );

    it(`answers what is no HTTP with 400${row.readsInJson ? ' in JSON' : ''}`, async () => {
      const answer = await scene.ask('base', { line: 'GET /accounts\u0001', lines: ['no header'] });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatch(row.readsInJson ? /"errorCode": ?"FORMAT_ERROR"/ : /^<html>/);
    });

    it('leaves a path to the service that is none', async () => {
      for (const target of ['/refused/away', '//accounts', '/accounts/..'])
        expect(
          jsonOf(await scene.ask('base', { line: `GET ${target}`, presented: present(tpp) })),
        ).toMatchObject({ status: 404, errorCode: 'ROUTE_UNKNOWN' });
    });

    it('answers for a service that is away with 503 in JSON', async () => {
      const [away] = await freePorts(1);
      const { server, peers, upstreams } = scene;
      const edge = await row.start({
        server,
        peers,
        upstreams: { ...upstreams, payments: { host: '127.0.0.1', port: away! } },
      });
      const answer = await scene.ask('base', { line: 'GET /payments', presented: present(tpp), edge });
      await edge.close();
      expect(jsonOf(answer)).toMatchObject({ status: 503, errorCode: 'UNAVAILABLE' });
      expect(answer.head).toMatch(/^retry-after: \d+\r?$/im);
    });

    it('has room for 8 KB of headers beside the certificate', async () => {
      expect((await ask(present(tpp), [`X-Padding: ${'x'.repeat(8 * 1024)}`])).status).toBe(200);
    });

    it('hands the X-Request-ID of the caller on as it came, and makes none up', async () => {
      const { headers } = await scene.seen('registration', { lines: ['X-Request-ID: from-the-TPP.1'] });
      expect(headers.filter(([name]) => name === 'x-request-id')).toEqual([
        ['x-request-id', 'from-the-TPP.1'],
      ]);
      const without = await scene.seen('registration');
      expect(without.headers.filter(([name]) => name.includes('request-id'))).toEqual([]);
    });

    it.each(
      EDGE_ROUTES.flatMap(({ address, prefix, upstream }) =>
        (address === 'base' ? ['', '/aisp-pisp'] : ['']).map(
          (before) => [address, `${before}${prefix === '' ? '/x' : prefix}`, upstream] as const,
        ),
      ),
    )('leads from %s %s to %s', async (address, target, upstream) => {
      const direct = await mint({ issuer: scene.peers.ca });
      const answer = await scene.ask(address, { line: `GET ${target}`, presented: present(direct) });
      expect(jsonOf(answer)).toMatchObject({ status: 200, service: upstream });
    });
  });
