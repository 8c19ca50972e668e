import { readFileSync } from 'node:fs';
import { connect, createSecureContext, type SecureContext } from 'node:tls';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { readConfig } from '@kontoport/config';
import { until } from '@kontoport/embedded/wait';
import { ApiError } from '@kontoport/errors';
import { call, createClient, defineRpc, startGrpcServer, unary } from '@kontoport/grpc';
import { type InternalTls, internalTlsConfig, openInternalTls } from '@kontoport/internal-tls';
import { createLogger } from '@kontoport/lifecycle';
import {
  ApprovalsServiceClient,
  ApprovalsServiceService,
  type GetBasketRequest,
  type GetBasketResponse,
} from '@kontoport/proto/payments/v1';
import {
  ClientDirectoryServiceClient,
  ClientDirectoryServiceService,
  WatchRequest,
  type WatchResponse,
} from '@kontoport/proto/registration/v1';
import { type TlsFiles, tlsFolder, type TlsFolder } from '@kontoport/testing/tls';

const silent = createLogger({ service: 'test', level: 'silent' });
const basket: GetBasketResponse = { requestId: 'r', status: 'APPROVED', redirectUrl: 'https://tpp.test/' };
const opened: { close(): Promise<void> | void }[] = [];

let ours: TlsFolder;
let strangers: TlsFolder;
let files: Record<'payments' | 'auth' | 'registration' | 'expired' | 'unnamed', TlsFiles>;
let foreign: TlsFiles;

/** Internal TLS of a service, with its log lines. */
interface Held extends InternalTls {
  said: Record<string, unknown>[];
}

const HOSTS = ['localhost', '127.0.0.1'];

beforeAll(async () => {
  [ours, strangers] = await Promise.all([tlsFolder(), tlsFolder()]);
  const named = (name: string) => ours.issue(name, { peer: [...HOSTS, name] });
  files = {
    payments: await named('payments'),
    auth: await named('auth'),
    registration: await named('registration'),
    expired: await ours.issue('expired', { peer: [...HOSTS, 'auth'] }, { isExpired: true }),
    unnamed: await ours.issue('unnamed', { peer: ['auth', 'elsewhere.test'] }),
  };
  foreign = await strangers.issue('auth', { peer: [...HOSTS, 'auth'] });
});
afterEach(async () => {
  for (const resource of opened.splice(0).toReversed()) await resource.close();
});
afterAll(() => {
  ours.remove();
  strangers.remove();
});

function hold(name: string, { cert, key }: TlsFiles, ca = ours.ca): Held {
  const said: Record<string, unknown>[] = [];
  const note = (fields: object, msg: string): void => void said.push({ ...fields, msg });
  const logger = Object.assign(Object.create(silent) as typeof silent, {
    warn: note,
    error: note,
    info: note,
  });
  const env = { INTERNAL_TLS_CERT_FILE: cert, INTERNAL_TLS_KEY_FILE: key, INTERNAL_TLS_CA_FILE: ca };
  const tls = openInternalTls({ name, config: readConfig(internalTlsConfig, env), logger })!;
  opened.push(tls.watch);
  return Object.assign(tls, { said });
}

/** Payments with an rpc of auth's, and whom it has accepted so far. */
async function serve(tls: InternalTls, handle = async () => basket): Promise<string> {
  const { port, close } = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    tls,
    rpcs: [
      defineRpc({
        definition: ApprovalsServiceService,
        allowedCallers: { getBasket: ['auth'], getApproval: ['auth'], decide: [] },
        implementation: {
          getBasket: unary<GetBasketRequest, GetBasketResponse>(silent, handle),
          getApproval: unary(silent, handle),
          decide: unary(silent, handle),
        },
      }),
    ],
  });
  opened.push({ close });
  return `localhost:${port}`;
}

function clientOf(address: string, tls?: { context: SecureContext }): ApprovalsServiceClient {
  const client = createClient(ApprovalsServiceClient, address, tls?.context);
  opened.push(client);
  return client;
}

/** The answer, or why there is none. */
async function ask(client: ApprovalsServiceClient): Promise<unknown> {
  try {
    return await call(client, client.getBasket, { approvalId: 'a' }, { deadlineMs: 20_000 });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE') throw error;
    return String((error.cause as Error).message);
  }
}

describe('an rpc over internal TLS', () => {
  it.each(['localhost', '127.0.0.1'])('answers its peer, reached as %s', async (host) => {
    const address = await serve(hold('payments', files.payments));
    const client = clientOf(address.replace('localhost', host), hold('auth', files.auth));
    expect(await ask(client)).toEqual(basket);
  });

  it('refuses and logs a service of the same authority that the method does not allow', async () => {
    const tls = hold('payments', files.payments);
    const client = clientOf(await serve(tls), hold('registration', files.registration));
    expect(await ask(client)).toMatch(/^7 PERMISSION_DENIED/);
    expect(tls.said).toContainEqual({
      method: '/kontoport.payments.v1.ApprovalsService/GetBasket',
      peer: ['registration'],
      msg: 'rpc refused: caller not allowed',
    });
  });

  it('allows no caller by default', async () => {
    const client = clientOf(await serve(hold('payments', files.payments)), hold('auth', files.auth));
    const answer = call(client, client.decide, { approvalId: 'a' } as never, { deadlineMs: 20_000 });
    await expect(answer).rejects.toMatchObject({ cause: { code: 7 } });
  });

  it.each<[string, string, () => { context: SecureContext } | undefined]>([
    ['no certificate', 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE', () => contextOf(ours.ca)],
    [
      'a certificate of another authority',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      () => contextOf(ours.ca, foreign),
    ],
    ['an expired certificate', 'CERT_HAS_EXPIRED', () => contextOf(ours.ca, files.expired)],
    ['no TLS', 'ERR_SSL_', () => undefined],
  ])('refuses a caller with %s, with the reason', async (_what, reason, tlsOf) => {
    const tls = hold('payments', files.payments);
    const client = clientOf(await serve(tls), tlsOf());
    expect(await ask(client)).toMatch(/^14 UNAVAILABLE/);
    await until(() => tls.said.some((line) => String(line.reason).startsWith(reason)), {
      what: `${reason} to be logged`,
    });
  });

  it('does not trust a server with another host name', async () => {
    const client = clientOf(await serve(hold('auth', files.unnamed)), hold('auth', files.auth));
    expect(await ask(client)).toMatch(/Hostname\/IP does not match|altnames/);
  });

  it('does not trust a server of another authority', async () => {
    const server = hold('auth', foreign, strangers.ca);
    const client = clientOf(await serve(server), hold('auth', files.auth));
    expect(await ask(client)).toMatch(/unable to verify|self-signed|issuer/);
  });
});

/** The TLS context of a caller that is no service of ours. */
function contextOf(ca: string, files?: TlsFiles): { context: SecureContext } {
  const own = files && { cert: readFileSync(files.cert), key: readFileSync(files.key) };
  return { context: createSecureContext({ ca: readFileSync(ca), ...own }) };
}

/** The serial number of the certificate that a new connection is shown. */
function serialOf(address: string, { context }: { context: SecureContext }): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      port: Number(address.split(':')[1]),
      host: 'localhost',
      servername: 'localhost',
      secureContext: context,
      ALPNProtocols: ['h2'],
    });
    socket.on('error', reject).once('secureConnect', () => {
      resolve(socket.getPeerX509Certificate()!.serialNumber);
      socket.destroy();
    });
  });
}

describe('replaced internal certificates', () => {
  let own: TlsFolder;
  let next: TlsFolder;
  beforeEach(async () => {
    [own, next] = await Promise.all([tlsFolder(), tlsFolder()]);
  });
  afterEach(() => {
    own.remove();
    next.remove();
  });

  const names = (name: string) => ({ peer: [...HOSTS, name] });
  const watched = async (name: string): Promise<Held> => {
    const tls = hold(name, await own.issue(name, names(name)), own.ca);
    tls.watch.start();
    return tls;
  };

  /** A stream that echoes revisions. */
  async function serveStream(tls: InternalTls) {
    const echo = (stream: ServerDuplexStream<WatchRequest, WatchResponse>): void => {
      stream.on('data', ({ appliedRevision: revision }: WatchRequest) =>
        stream.write({ message: { $case: 'part', value: { revision, clients: [] } } }),
      );
      stream.on('end', () => stream.end());
    };
    const { port, close } = await startGrpcServer({
      host: '127.0.0.1',
      port: 0,
      tls,
      rpcs: [
        defineRpc({
          definition: ClientDirectoryServiceService,
          allowedCallers: { watch: ['auth'] },
          implementation: { watch: echo },
        }),
      ],
    });
    opened.push({ close });
    return `localhost:${port}`;
  }

  it('apply to new connections and end no stream; a broken one is logged and ignored', async () => {
    const tls = await watched('registration');
    const address = await serveStream(tls);
    const caller = hold('auth', await own.issue('auth', names('auth')), own.ca);
    const client = createClient(ClientDirectoryServiceClient, address, caller.context);
    opened.push(client);
    const heard: unknown[] = [];
    const stream = client.watch();
    stream.on('data', (response: WatchResponse) => heard.push(response.message));
    stream.on('error', (error) => heard.push(error));
    const echoed = (revision: bigint): Promise<unknown> => {
      stream.write(WatchRequest.fromPartial({ appliedRevision: revision }));
      return until(() => heard.length === Number(revision), { what: `echo ${revision}` });
    };
    await echoed(1n);
    const first = await serialOf(address, caller);

    own.write('registration.pem', 'no certificate');
    await until(() => tls.fault(), { what: 'the fault' });
    expect(tls.fault()).toBe('INTERNAL_TLS_CERT_FILE: the file holds no certificate in PEM');
    expect(tls.said.filter(({ fault }) => fault === tls.fault())).toHaveLength(1);
    expect(await serialOf(address, caller)).toBe(first);

    await own.issue('registration', names('registration'));
    await until(async () => (await serialOf(address, caller)) !== first, { what: 'the new certificate' });
    expect(tls.fault()).toBeUndefined();
    await echoed(2n);
    expect(heard).toEqual([1n, 2n].map((revision) => ({ $case: 'part', value: { revision, clients: [] } })));
    stream.end();
  });

  it('may have another authority while the file contains both', async () => {
    const tls = await watched('payments');
    const address = await serve(tls);
    const former = hold('auth', await own.issue('auth', names('auth')), own.ca);
    const both = readFileSync(own.ca, 'utf8') + readFileSync(next.ca, 'utf8');
    const latter = hold('auth', await next.issue('auth', names('auth')), next.write('both.pem', both));
    expect(await ask(clientOf(address, latter))).toMatch(/^14 UNAVAILABLE/);

    own.write('ca.pem', both);
    await until(async () => typeof (await ask(clientOf(address, latter))) === 'object', {
      what: 'the new authority',
    });
    expect(await ask(clientOf(address, former))).toEqual(basket);

    // The own certificate is of the removed authority: every peer would reject it.
    own.write('ca.pem', readFileSync(next.ca, 'utf8'));
    await until(() => tls.fault(), { what: 'the fault' });
    expect(tls.fault()).toBe('INTERNAL_TLS_CERT_FILE: no authority in INTERNAL_TLS_CA_FILE has issued it');
    expect(await ask(clientOf(address, former))).toEqual(basket);

    const { cert, key } = await next.issue('payments', names('payments'));
    own.write('payments.pem', readFileSync(cert, 'utf8'));
    own.write('payments-key.pem', readFileSync(key, 'utf8'));
    await until(() => tls.fault() === undefined, { what: 'the new certificate' });
    await until(async () => typeof (await ask(clientOf(address, former))) === 'string', {
      what: 'the former authority to be gone',
    });
    expect(await ask(clientOf(address, latter))).toEqual(basket);
  });

  it('are presented from the next connection on', async () => {
    const address = await serve(hold('payments', await own.issue('payments', names('payments')), own.ca));
    const stranger = await next.issue('auth', names('auth'));
    const both = own.write('both.pem', readFileSync(own.ca, 'utf8') + readFileSync(next.ca, 'utf8'));
    const client = clientOf(address, hold('auth', stranger, both));
    expect(await ask(client)).toMatch(/^14 UNAVAILABLE/);
    const good = await own.issue('auth', names('auth'));
    next.write('auth-key.pem', readFileSync(good.key, 'utf8'));
    next.write('auth.pem', readFileSync(good.cert, 'utf8'));
    await until(async () => typeof (await ask(client)) === 'object', { what: 'the new certificate' });
  });
});

describe('a connection with expired certificates', () => {
  it('ends, and the next call opens a new one', async () => {
    const real = hold('payments', files.payments);
    let connections = 0;
    const tls: InternalTls = {
      ...real,
      keep: (server, accept) =>
        real.keep(server, (socket) => accept(socket, connections++ === 0 ? 0 : 60_000)),
    };
    const client = clientOf(await serve(tls), hold('auth', files.auth));
    await until(
      async () => {
        await ask(client);
        return connections > 1;
      },
      { what: 'a second connection' },
    );
    expect(await ask(client)).toEqual(basket);
    expect(connections).toBe(2);
  });
});
