import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { until } from '@kontoport/embedded/wait';
import { describeWith } from '@kontoport/testing/describe-with';
import type { TestQwac } from '@kontoport/testing/qwac';
import { EDGE_ADDRESSES, type EdgeAddress } from '../src/routes.ts';
import { missingFor, REAL_EDGES, type RealEdge } from './real-edge.ts';
import { LARGE, portOf, RecipeScene } from './recipe-scene.ts';

const FLOODING = '127.0.0.2';
const CALLING = '127.0.0.3';

/** Connections of the flood at each address. The limits below are those of docs/edge, smaller in the same proportion. */
const HELD = 100;
/** Times that the flood replaces a connection that the edge ended. */
const REOPENED = 300;

/**
 * Fewer connections for each address than the flood has, and fewer still for each source. Timeouts do not help: others are
 * served because of the limit, or not at all.
 */
const limitSources = (recipe: string): string =>
  recipe
    .replaceAll(/^( {2}maxconn) (?:1000|1500|2500)$/gm, '$1 90')
    .replaceAll('sc0_conn_cur gt 256', 'sc0_conn_cur gt 64')
    .replaceAll(/\b(?:5|10|30|60)s\b/g, '300s');

type Way = (socket: Socket, tpp: TestQwac) => void;

/** The first message of a handshake, as a client would send it. */
const HELLO = new Promise<Buffer>((resolve) => {
  const transport = new Duplex({ read() {}, write: (chunk: Buffer) => resolve(chunk) });
  connectTls({ socket: transport, servername: 'localhost' });
});

/** Finishes the handshake with the certificate of a TPP, and then sends a request. */
function request(socket: Socket, { chainPem, keyPem }: TestQwac, text: string): TLSSocket {
  const secured = connectTls({ socket, cert: chainPem, key: keyPem, rejectUnauthorized: false });
  return secured.on('error', () => {}).once('secureConnect', () => secured.write(text));
}

/** Acts five times a second while a connection lives. */
function slowly(socket: Socket, act: () => void): void {
  const timer = setInterval(act, 200).unref();
  socket.once('close', () => clearInterval(timer));
}

const WAYS = {
  'say nothing': (socket) => void socket.resume(),
  'begin a handshake and never finish it': (socket) =>
    void HELLO.then((bytes) => socket.resume().write(bytes)),
  'finish the handshake and say nothing': (socket, tpp) => void request(socket, tpp, '').resume(),
  'send their headers a byte at a time': (socket, tpp) => {
    const secured = request(socket, tpp, 'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ').resume();
    slowly(socket, () => secured.write('x'));
  },
  'read a large answer a byte at a time': (socket, tpp) => {
    const secured = request(socket, tpp, `GET ${LARGE} HTTP/1.1\r\nHost: localhost\r\n\r\n`).pause();
    slowly(socket, () => secured.read(1));
  },
} satisfies Record<string, Way>;

/** One source that holds connections. */
class Flood {
  readonly #sockets = new Set<Socket>();
  readonly #way: Way;
  readonly #tpp: TestQwac;
  readonly #ports: readonly number[];
  readonly #most: number;
  #reopened = 0;
  #over = false;

  constructor(options: { way: Way; tpp: TestQwac; ports: readonly number[]; reopened: number }) {
    this.#way = options.way;
    this.#tpp = options.tpp;
    this.#ports = options.ports;
    this.#most = options.reopened;
  }

  /** Resolves when each connection is established or refused. */
  async open(): Promise<void> {
    [this.#reopened, this.#over] = [0, false];
    await Promise.all(this.#ports.flatMap((port) => Array.from({ length: HELD }, () => this.#hold(port))));
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.#over = true;
    await Promise.all(
      [...this.#sockets].map((socket) => {
        const closed = once(socket, 'close');
        socket.destroy();
        return closed;
      }),
    );
  }

  #hold(port: number): Promise<void> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: FLOODING });
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (this.#over || this.#reopened === this.#most) return;
      this.#reopened += 1;
      setTimeout(() => void (this.#over || this.#hold(port)), 100);
    });
    return new Promise((resolve) => {
      socket.on('connect', () => {
        this.#way(socket, this.#tpp);
        resolve();
      });
      socket.on('close', () => resolve());
    });
  }
}

/** The parts of a test: an edge, a TPP, and at most one flood at a time. */
function flooded(edge: RealEdge, options: Parameters<RecipeScene['open']>[1] = {}) {
  const scene = new RecipeScene();
  let tpp: TestQwac;
  let flood: Flood | undefined;

  beforeAll(async () => {
    await scene.open(edge, options);
    tpp = await scene.mint('TPP');
  });
  afterEach(() => flood?.close());
  afterAll(() => scene.close());

  const ask = (address: EdgeAddress): Promise<number> =>
    scene.ask(address, { qwac: tpp, from: CALLING }).then(
      ({ status }) => status,
      () => 0,
    );
  return {
    floodWith: (
      way: Way,
      { at = EDGE_ADDRESSES, reopened = REOPENED }: { at?: readonly EdgeAddress[]; reopened?: number } = {},
    ): Flood => {
      const ports = at.map((address) => portOf(scene.edge.urls[address]));
      return (flood = new Flood({ way, tpp, ports, reopened }));
    },
    /** The status of another source's request at each address; 0: refused. */
    askAs: (addresses: readonly EdgeAddress[] = EDGE_ADDRESSES) => Promise.all(addresses.map(ask)),
  };
}

const SERVED = EDGE_ADDRESSES.map(() => 200);

/** HAProxy limits the connections of a source itself; other edges need the stage in front of them. */
const LIMITED = [
  { name: 'HAProxy', edge: REAL_EDGES.haproxy },
  { name: 'nginx behind sources.cfg', edge: REAL_EDGES.nginx, stage: REAL_EDGES.sources },
  { name: 'Envoy behind sources.cfg', edge: REAL_EDGES.envoy, stage: REAL_EDGES.sources },
];

for (const { name, edge, stage } of LIMITED)
  describeWith(`${name}, flooded by one source`, { missing: missingFor(edge, stage) }, () => {
    const { floodWith, askAs } = flooded(edge, { ...(stage ? { stage } : {}), change: limitSources });

    it.each(Object.entries(WAYS))('serves others at every address while connections %s', async (_, way) => {
      const flood = floodWith(way);
      for (const _round of ['opened', 'opened again']) {
        const opened = flood.open();
        expect(await askAs()).toEqual(SERVED);
        await opened;
        expect(await askAs()).toEqual(SERVED);
        await flood.close();
      }
    });
  });

/** The same without the stage, with fewer connections to take: the table of docs/edge. */
const UNLIMITED = [
  {
    edge: REAL_EDGES.nginx,
    change: (recipe: string) => recipe.replace('worker_connections 16384', 'worker_connections 80'),
    // nginx closes the oldest silent connections. The omitted ways only delay other callers.
    ways: ['begin a handshake and never finish it', 'read a large answer a byte at a time'],
    spared: [],
  },
  {
    edge: REAL_EDGES.envoy,
    change: (recipe: string) => recipe.replaceAll('connection_limit: 10000', 'connection_limit: 80'),
    ways: Object.keys(WAYS) as (keyof typeof WAYS)[],
    spared: ['registration', 'auth', 'user'],
  },
] as const;

for (const { edge, change, ways, spared } of UNLIMITED)
  describeWith(
    `${edge.name} alone, flooded at {base_url} by one source`,
    { missing: missingFor(edge) },
    () => {
      const { floodWith, askAs } = flooded(edge, { change });
      const served = spared.length > 0 ? 'serves others elsewhere only' : 'refuses others';

      it.each(ways)(`${served} while connections %s`, async (name) => {
        const flood = floodWith(WAYS[name], { at: ['base'], reopened: Number.POSITIVE_INFINITY });
        await flood.open();
        await until(async () => (await askAs(['base']))[0] === 0, { what: 'a refused request' });
        expect(await askAs(spared)).toEqual(spared.map(() => 200));
        await flood.close();
        await until(async () => (await askAs(['base']))[0] === 200, { what: 'an answer after the flood' });
      });
    },
  );
