import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { ConfigError } from '@kontoport/config';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { createLogger, Lifecycle } from '@kontoport/lifecycle';
import { type Service, startInProcess } from '@kontoport/service';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { tinyService } from './fixtures/tiny.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
let peers: FakePeers;
let env: Record<string, string>;
const running: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  peers = await startFakePeers();
});
beforeEach(async () => {
  env = {
    ...peers.env,
    OPS_PORT: String(await freePort()),
    USER_PORT: '0',
    GRPC_PORT: '0',
    GREETING: 'hello',
  };
});
afterEach(async () => {
  for (const service of running.splice(0)) await service.close();
});
afterAll(() => peers.close());

async function start<Deps>(service: Service<Deps>) {
  const started = await startInProcess(service, env);
  running.push(started);
  return started;
}

/** Records the opened and closed parts, by name. */
class RecordingLifecycle extends Lifecycle {
  readonly opened: string[] = [];
  readonly closed: string[] = [];

  override own<T extends { close(): Promise<void> }>(name: string, resource: T): T {
    this.opened.push(name);
    super.own(name, {
      close: async () => {
        this.closed.push(name);
        await resource.close();
      },
    });
    return resource;
  }
}

async function ready(): Promise<{ status: number; waiting?: Record<string, string> }> {
  const response = await fetch(`http://127.0.0.1:${env.OPS_PORT}/readyz`);
  const { waiting } = (await response.json()) as { waiting?: Record<string, string> };
  return { status: response.status, ...(waiting === undefined ? {} : { waiting }) };
}

/** An event that a test triggers. */
function gate(): { passed: Promise<void>; open: () => void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

describe('a service starts and stops in one order', () => {
  it('opens from the ops server to the http servers, and closes in reverse', async () => {
    const lifecycle = new RecordingLifecycle();
    await tinyService().start({ env, lifecycle });
    expect(lifecycle.opened).toEqual([
      'ops server',
      'revocation look-ups',
      'trust anchors',
      'client directory',
      'database',
      'producer',
      'greeting loop',
      'kafka consumers',
      'grpc server',
      'http server of base_url',
      'http server of user_url',
      'readiness',
    ]);
    await lifecycle.close(logger);
    expect(lifecycle.closed).toEqual(lifecycle.opened.toReversed());
  });

  it('ends streams before the gRPC server waits for them, and background work before its resources', async () => {
    const closed: string[] = [];
    const service = await startInProcess(tinyService({ closing: (part) => void closed.push(part) }), env);
    await service.close();
    expect(closed).toEqual(['streams', 'kafka consumers', 'loop', 'producer', 'database']);
  });

  it('closes what was opened when a step fails', async () => {
    const lifecycle = new RecordingLifecycle();
    const service = tinyService({
      opening(part) {
        if (part === 'producer') throw new Error('no broker');
      },
    });
    await expect(service.start({ env, lifecycle })).rejects.toThrow('no broker');
    expect(lifecycle.opened.at(-1)).toBe('database');
    expect(await ready()).toEqual({
      status: 503,
      waiting: { start: 'the dependencies could not be opened' },
    });
    await lifecycle.close(logger);
    expect(lifecycle.closed).toEqual(lifecycle.opened.toReversed());
  });

  it('closes background work, too, when no server can be opened', async () => {
    const taken = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(taken, 'listening');
    env.USER_PORT = String((taken.address() as AddressInfo).port);
    const closed: string[] = [];
    const service = tinyService({ closing: (part) => void closed.push(part) });
    await expect(startInProcess(service, env)).rejects.toThrow('EADDRINUSE');
    expect(closed).toEqual(['streams', 'kafka consumers', 'loop', 'producer', 'database']);
    await expect(ready()).rejects.toThrow('fetch failed');
    taken.close();
  });

  it('begins no further step of a stopped start', async () => {
    const lifecycle = new RecordingLifecycle();
    const stop = new AbortController();
    const service = tinyService({
      opening(part) {
        if (part === 'producer') stop.abort(new Error('told to stop'));
      },
    });
    await expect(service.start({ env, lifecycle, signal: stop.signal })).rejects.toThrow('told to stop');
    expect(lifecycle.opened.at(-1)).toBe('producer');
    await lifecycle.close(logger);
    expect(lifecycle.closed).toEqual(lifecycle.opened.toReversed());
  });
});

describe('a service answers at its configured addresses', () => {
  it('serves each address on its own port, base_url with its prefix', async () => {
    const { addresses, grpcPort, opsPort } = await start(tinyService());
    const ask = async (origin: string | undefined, path: string): Promise<[number, unknown]> => {
      const response = await fetch(`${origin}${path}`);
      const body = (await response.json()) as { errorCode?: string };
      return [response.status, body.errorCode ?? body];
    };
    const greeting = { greeting: 'hello', stored: 'in memory' };
    expect(await ask(addresses.base_url, '/greeting')).toEqual([200, greeting]);
    expect(await ask(addresses.base_url, '/aisp-pisp/greeting')).toEqual([200, greeting]);
    expect(await ask(addresses.base_url, '/page')).toEqual([404, 'ROUTE_UNKNOWN']);
    expect(await ask(addresses.user_url, '/page')).toEqual([200, { page: 'hello' }]);
    expect(await ask(addresses.user_url, '/aisp-pisp/page')).toEqual([404, 'ROUTE_UNKNOWN']);
    expect(await ask(addresses.user_url, '/greeting')).toEqual([404, 'ROUTE_UNKNOWN']);
    const missed = await fetch(`${addresses.user_url}/accounts/1`);
    expect(await missed.json()).toMatchObject({
      errorCode: 'ROUTE_UNKNOWN',
      message: 'No route has this path here; it is answered at base_url.',
    });
    const nowhere = await fetch(`${addresses.base_url}/accounts`);
    expect(await nowhere.json()).toMatchObject({ message: 'No route has this path.' });
    expect(Object.keys(addresses)).toEqual(['base_url', 'user_url']);
    expect(grpcPort).toBeGreaterThan(0);
    expect(String(opsPort)).toBe(env.OPS_PORT);
  });

  it('lists its entry points without opening anything', () => {
    const opened: string[] = [];
    const { routes, rpcs, consumers, loops } = tinyService({
      opening: (part) => void opened.push(part),
    }).entryPoints();
    expect(Object.entries(routes).map(([address, list]) => [address, list.map(({ path }) => path)])).toEqual([
      ['base_url', ['/greeting']],
      ['user_url', ['/page']],
    ]);
    expect([rpcs, consumers?.topics, loops].map((list) => list?.length)).toEqual([1, 1, 1]);
    expect(opened).toEqual([]);
  });
});

describe('readiness is answered from the beginning', () => {
  it('names the current step of the start, and afterwards the parts that are not ready', async () => {
    const database = gate();
    const group = gate();
    const service = tinyService({
      opening: (part) => (part === 'database' ? database.passed : undefined),
      joined: group.passed,
    });
    const starting = start(service);
    await until(
      () =>
        ready().then(
          ({ waiting }) => waiting?.start === 'opening the dependencies',
          () => false,
        ),
      {
        what: 'the start to reach the database',
      },
    );
    expect((await fetch(`http://127.0.0.1:${env.OPS_PORT}/livez`)).status).toBe(200);
    expect(await ready()).toEqual({ status: 503, waiting: { start: 'opening the dependencies' } });
    database.open();
    await starting;
    expect(await ready()).toEqual({ status: 503, waiting: { kafka: 'not a member of the group tiny yet' } });
    group.open();
    await until(async () => (await ready()).status === 200, { what: 'it is ready' });
  });

  it('ends when the service stops, before its servers close', async () => {
    const streams = gate();
    const service = await startInProcess(
      tinyService({ closing: (part) => (part === 'streams' ? streams.passed : undefined) }),
      env,
    );
    expect(await ready()).toEqual({ status: 200 });
    const closing = service.close();
    await until(async () => (await ready()).status === 503, { what: 'it is not ready any more' });
    expect((await ready()).waiting).toMatchObject({ stop: 'stopping' });
    streams.open();
    await closing;
    await expect(ready()).rejects.toThrow('fetch failed');
  });

  it('remains after a failure of a loop', async () => {
    let runs = 0;
    await start(
      tinyService({
        work() {
          runs++;
          throw new Error('cannot be done');
        },
      }),
    );
    await until(() => runs === 1, { what: 'the loop to run' });
    expect(await ready()).toEqual({ status: 200 });
  });
});

describe('a configuration is rejected as a whole, before anything is opened', () => {
  async function faultsOf(changed: Record<string, string>): Promise<readonly string[]> {
    const lifecycle = new RecordingLifecycle();
    const error: unknown = await tinyService()
      .start({ env: { ...env, ...changed }, lifecycle })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(lifecycle.opened).toEqual([]);
    return (error as ConfigError).faults;
  }

  it('names every variable that is missing or malformed', async () => {
    expect(await faultsOf({ GREETING: '', EDGE_SECRET: 'short', USER_PORT: 'x' })).toEqual([
      expect.stringMatching(/^EDGE_SECRET: /),
      expect.stringMatching(/^USER_PORT: /),
      'GREETING: missing',
    ]);
  });

  it('names all faults of files and addresses at once, too', async () => {
    const lifecycle = new RecordingLifecycle();
    const error: unknown = await tinyService()
      .start({ env: { ...env, TRUST_ANCHORS: '/no/such/folder', EDGE_ADDRESSES: '10.0.0.0/33' }, lifecycle })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).faults).toEqual([
      expect.stringMatching(/^EDGE_ADDRESSES: /),
      expect.stringMatching(/^TRUST_ANCHORS: /),
    ]);
    expect(lifecycle.opened).toEqual(['ops server', 'revocation look-ups']);
    await lifecycle.close(logger);
  });

  it('names every missing adapter, besides the variables', async () => {
    expect(await faultsOf({ ENVIRONMENT: 'production' })).toEqual([
      'ENVIRONMENT: tiny has no adapter "printer" for production',
    ]);
    expect(await faultsOf({ ENVIRONMENT: 'production', GREETING: '' })).toEqual([
      'GREETING: missing',
      'ENVIRONMENT: tiny has no adapter "printer" for production',
    ]);
    expect(await faultsOf({ ENVIRONMENT: 'staging' })).toEqual([expect.stringMatching(/^ENVIRONMENT: /)]);
  });
});
