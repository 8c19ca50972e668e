import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { createSecureContext } from 'node:tls';
import { readConfig } from '@kontoport/config';
import { until } from '@kontoport/embedded/wait';
import { createAccessTokenVerifier, openGate, route } from '@kontoport/gate';
import { startHttpServer } from '@kontoport/http';
import {
  type InternalTls,
  internalTlsConfig,
  openInternalTls,
  type ServiceIdentity,
} from '@kontoport/internal-tls';
import { createLogger, Lifecycle, startOpsServer } from '@kontoport/lifecycle';
import { commonConfig } from '@kontoport/service/common-config';
import { type FakePeers, startFakePeers, type TestTpp } from '@kontoport/testing/fake-peers';
import { readMetrics } from '@kontoport/testing/metrics';
import { type TlsFiles, tlsFolder, type TlsFolder } from '@kontoport/testing/tls';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const silent = createLogger({ service: 'test', level: 'silent' });
const said: Record<string, unknown>[] = [];
const logger = Object.assign(Object.create(silent) as typeof silent, {
  warn: (fields: object, msg: string) => void said.push({ ...fields, msg }),
});
const opened: (() => Promise<unknown> | void)[] = [];

let folder: TlsFolder;
let peers: FakePeers;
let tpp: TestTpp;
const files = new Map<ServiceIdentity, TlsFiles>();

beforeAll(async () => {
  [folder, peers] = await Promise.all([tlsFolder(), startFakePeers()]);
  tpp = await peers.addTpp();
  for (const name of ['auth', 'edge', 'payments', 'registration'] as const)
    files.set(name, await folder.issue(name, { peer: [name, 'localhost', '127.0.0.1'] }));
});
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
  said.length = 0;
});
afterAll(async () => {
  folder.remove();
  await peers.close();
});

function inside(name: ServiceIdentity): InternalTls {
  const { cert, key } = files.get(name)!;
  const env = { INTERNAL_TLS_CERT_FILE: cert, INTERNAL_TLS_KEY_FILE: key, INTERNAL_TLS_CA_FILE: folder.ca };
  return openInternalTls({ name, config: readConfig(internalTlsConfig, env), logger })!;
}

/** Payments with a route for every caller with a certificate. */
async function serve(callers: readonly ServiceIdentity[], tls = inside('payments')): Promise<number> {
  const lifecycle = new Lifecycle();
  opened.push(() => lifecycle.close(silent));
  const config = readConfig(commonConfig, peers.env);
  const gate = await openGate({ service: 'payments', config, logger: silent, lifecycle });
  const own = route({
    method: 'GET',
    path: '/whoami',
    clause: '§5',
    summary: 'A test',
    security: { kind: 'certificate' },
    answers: { 204: { description: 'Nothing.' } },
    handler: async () => ({ status: 204 }),
  });
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    routes: [own],
    gate,
    logger,
    tls,
    callers,
    drainLimitMs: 200,
  });
  lifecycle.own('http', server);
  return server.port;
}

/** Connections that are used again. */
function keptAlive(): Agent {
  const agent = new Agent({ keepAlive: true });
  opened.push(() => agent.destroy());
  return agent;
}

/** The answer to a peer's request with a TPP's certificate, or the error. */
function ask(
  port: number,
  name: ServiceIdentity,
  agent = keptAlive(),
): Promise<{ status: number; connection: string | undefined } | string> {
  const { context: secureContext } = inside(name);
  return new Promise((resolve) => {
    const headers = tpp.certificateHeaders;
    const options = { host: '127.0.0.1', port, path: '/whoami', secureContext, agent, headers };
    request(options, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode!, connection: answer.headers.connection });
    })
      .on('error', ({ message }) => resolve(message))
      .end();
  });
}

describe('the expiry metric of internal certificates', () => {
  it('reports the own one, and that of a connected edge', async () => {
    const ops = await startOpsServer({ service: 'test', host: '127.0.0.1', port: 0, readiness: {} });
    opened.push(() => ops.close());
    const told = async (): Promise<Record<string, number>> => {
      const { series } = (await readMetrics(ops.port)).families.get(
        'kontoport_certificate_expiration_timestamp_seconds',
      )!;
      return Object.fromEntries(series.map(({ labels, value }) => [labels.kontoport_certificate, value]));
    };
    const endOf = (name: ServiceIdentity): number =>
      new X509Certificate(readFileSync(files.get(name)!.cert)).validToDate.getTime() / 1_000;
    const port = await serve(['edge', 'auth']);
    await ask(port, 'auth');
    expect(await told()).toEqual({ internal: endOf('payments') });
    const edge = keptAlive();
    await ask(port, 'edge', edge);
    expect(await told()).toEqual({ internal: endOf('payments'), edge: endOf('edge') });
    edge.destroy();
    await until(async () => !('edge' in (await told())), { what: 'no edge any more' });
  });
});

describe('HTTP over internal TLS', () => {
  it("accepts a TPP's certificate from the edge only", async () => {
    const port = await serve(['edge', 'auth']);
    expect(await ask(port, 'edge')).toMatchObject({ status: 204 });
    expect(await ask(port, 'auth')).toMatchObject({ status: 401 });
  });

  it('accepts its callers only, and logs refused peers', async () => {
    const port = await serve(['edge']);
    expect(await ask(port, 'registration')).toEqual(expect.any(String));
    expect(said).toContainEqual({
      peer: ['registration'],
      msg: 'connection refused: the peer may not use HTTP',
    });
  });

  it('ends a connection with expired certificates after an answer', async () => {
    const real = inside('payments');
    const tls: InternalTls = {
      ...real,
      keep: (server, accept) => real.keep(server, (socket) => accept(socket, 0)),
    };
    const port = await serve(['edge'], tls);
    const agent = keptAlive();
    const closing = async () => {
      const answer = await ask(port, 'edge', agent);
      return typeof answer === 'object' && answer.connection === 'close' && answer;
    };
    expect(await until(closing, { what: 'an answer that closes' })).toMatchObject({ status: 204 });
  });

  it('is not delayed by a connection without a handshake', async () => {
    const port = await serve(['edge']);
    const silent = connect(port, '127.0.0.1');
    await once(silent, 'connect');
    // The server has accepted a later caller, so it has processed the earlier ones.
    expect(await ask(port, 'edge')).toMatchObject({ status: 204 });
    const ended = once(silent, 'close');
    silent.resume();
    await opened.splice(0, 1)[0]!();
    await ended;
  }, 5_000);

  it('keeps a connection with valid certificates', async () => {
    const port = await serve(['edge']);
    const agent = keptAlive();
    for (let times = 0; times < 3; times++)
      expect(await ask(port, 'edge', agent)).toEqual({ status: 204, connection: 'keep-alive' });
  });
});

describe('the keys of access tokens over internal TLS', () => {
  const ISSUER = 'https://auth.bank.test';
  const now = new Date();

  async function serveKeys(body: (jwks: string) => string = (jwks) => jwks, status = 200) {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const keys = [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }];
    const text = body(JSON.stringify({ keys }));
    const server = createServer(inside('auth').serverOptions(), (_request, response) =>
      response.writeHead(status).end(text),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const id = '0b8a4f6a-6a3c-4f4e-9d0e-1c2b3a4d5e6f';
    const token = await new SignJWT({ client_id: id, scope: 'PSP_AI', cnf: { 'x5t#S256': 'x'.repeat(43) } })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k' })
      .setIssuer(ISSUER)
      .setSubject(id)
      .setAudience('kontoport')
      .setJti('t')
      .setIssuedAt(now)
      .setExpirationTime('5min')
      .sign(privateKey);
    const { port } = server.address() as AddressInfo;
    return { keys: `https://127.0.0.1:${port}/.well-known/jwks.json`, authorization: `Bearer ${token}` };
  }

  it('are fetched with an internal certificate', async () => {
    const { keys, authorization } = await serveKeys();
    const verify = createAccessTokenVerifier({ keys, tls: inside('payments').context, issuer: ISSUER });
    expect(await verify(authorization, now)).toMatchObject({ tokenId: 't' });
  });

  it('are UNAVAILABLE without one, and for an endless answer', async () => {
    const { keys, authorization } = await serveKeys();
    const nobody = createSecureContext({ ca: readFileSync(folder.ca) });
    const verify = createAccessTokenVerifier({ keys, tls: nobody, issuer: ISSUER });
    await expect(verify(authorization, now)).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    const long = await serveKeys((jwks) => jwks + ' '.repeat(300 * 1024));
    const tls = inside('payments').context;
    const bounded = createAccessTokenVerifier({ keys: long.keys, tls, issuer: ISSUER });
    await expect(bounded(long.authorization, now)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it.each([204, 304, 503, 600])('are UNAVAILABLE for the status %i', async (status) => {
    const { keys, authorization } = await serveKeys(undefined, status);
    const verify = createAccessTokenVerifier({ keys, tls: inside('payments').context, issuer: ISSUER });
    await expect(verify(authorization, now)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
