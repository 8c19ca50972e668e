import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { describeWith } from '@kontoport/testing/describe-with';
import type { TestQwac } from '@kontoport/testing/qwac';
import { EDGE_ADDRESSES } from '../src/routes.ts';
import { missingFor, REAL_EDGES, type RunningEdge } from './real-edge.ts';
import { portOf, RecipeScene } from './recipe-scene.ts';

const FLOODING = '127.0.0.2';
const CALLING = '127.0.0.3';
/** At each address. All of them together were once more than HAProxy takes. */
const HELD = 1_100;
/** How often the flood opens a connection again that the edge ended. */
const REOPENED = 3_000;

/** The first message of a handshake, as a client would send it. */
function clientHello(): Promise<Buffer> {
  return new Promise((resolve) => {
    const transport = new Duplex({ read() {}, write: (chunk: Buffer) => resolve(chunk) });
    connectTls({ socket: transport, servername: 'localhost' });
  });
}

/** One source that holds connections to every address and never finishes a handshake. */
class Flood {
  readonly #sockets = new Set<Socket>();
  #reopened = 0;
  #over = false;

  readonly #ports: readonly number[];
  readonly #firstBytes: Buffer;

  constructor({ urls }: RunningEdge, firstBytes: Buffer) {
    this.#ports = EDGE_ADDRESSES.map((address) => portOf(urls[address]));
    this.#firstBytes = firstBytes;
  }

  /** Resolves when each connection is established or refused. */
  async open(): Promise<void> {
    this.#reopened = 0;
    await Promise.all(Array.from({ length: HELD }, () => this.#ports.map((port) => this.#hold(port))).flat());
  }

  /** Ends all and opens them again. */
  async openAnew(): Promise<void> {
    this.#over = true;
    await Promise.all(
      [...this.#sockets].map((socket) => {
        const closed = once(socket, 'close');
        socket.destroy();
        return closed;
      }),
    );
    this.#over = false;
    await this.open();
  }

  close(): void {
    this.#over = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #hold(port: number): Promise<void> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: FLOODING });
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.resume();
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (this.#over || this.#reopened === REOPENED) return;
      this.#reopened += 1;
      void this.#hold(port);
    });
    return new Promise((resolve) => {
      socket.on('connect', () => {
        socket.write(this.#firstBytes);
        resolve();
      });
      socket.on('close', () => resolve());
    });
  }
}

/** What bounds a source: HAProxy itself, or the stage in front of an edge that cannot. */
const EDGES = [
  { name: 'HAProxy', edge: REAL_EDGES.haproxy, stage: undefined },
  { name: 'nginx behind sources.cfg', edge: REAL_EDGES.nginx, stage: REAL_EDGES.sources },
  { name: 'Envoy behind sources.cfg', edge: REAL_EDGES.envoy, stage: REAL_EDGES.sources },
];

for (const { name, edge, stage } of EDGES)
  describeWith(`${name}, flooded by one source`, { missing: missingFor(edge, stage) }, () => {
    const scene = new RecipeScene();
    let tpp: TestQwac;
    let flood: Flood | undefined;

    beforeAll(async () => {
      await scene.open(edge, stage);
      tpp = await scene.mint('TPP');
    });
    afterEach(() => flood?.close());
    afterAll(() => scene.close());

    const askAll = () =>
      Promise.all(
        EDGE_ADDRESSES.map(
          async (address) => (await scene.ask(address, { qwac: tpp, from: CALLING })).status,
        ),
      );
    const served = EDGE_ADDRESSES.map(() => 200);

    it.each([
      ['say nothing', () => Promise.resolve(Buffer.alloc(0))],
      ['begin a handshake and never finish it', clientHello],
    ])('serves others at every address while thousands of connections %s', async (_what, firstBytes) => {
      flood = new Flood(scene.edge, await firstBytes());
      const opened = flood.open();
      expect(await askAll()).toEqual(served);
      await opened;
      expect(await askAll()).toEqual(served);
      const openedAnew = flood.openAnew();
      expect(await askAll()).toEqual(served);
      await openedAnew;
      expect(await askAll()).toEqual(served);
    });
  });
