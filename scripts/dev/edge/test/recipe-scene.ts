import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Qwac } from '@kontoport/issuing';
import { testCa, type TestCa, testQwac, type TestQwac } from '@kontoport/testing/qwac';
import { EDGE_ADDRESSES, type EdgeAddress, UPSTREAMS } from '../src/routes.ts';
import { type RealEdge, type RunningEdge, startRealEdge } from './real-edge.ts';

export const portOf = (url: string): number => Number(new URL(url).port);

/** The path of an answer that is larger than what an edge and two kernels buffer. */
export const LARGE = '/large';
const LARGE_ANSWER = Buffer.alloc(16 * 1024 * 1024);

/** An edge of docs/edge before one server that replaces all services. */
export class RecipeScene {
  ca!: TestCa;
  /** The entry for callers: the edge, or the stage in front of it. */
  edge!: RunningEdge;
  /** The headers of the last request that reached the service. */
  seen: IncomingHttpHeaders = {};
  #service!: Server;
  readonly #running: RunningEdge[] = [];

  /**
   * @param options.stage `REAL_EDGES.sources`, in front of the edge
   * @param options.change of each configuration
   */
  async open(
    edge: RealEdge,
    { stage, change }: { stage?: RealEdge; change?: (recipe: string) => string } = {},
  ): Promise<void> {
    this.ca = await testCa({ name: 'Edge' });
    const { chainPem, keyPem } = await this.mint('Bank');
    this.#service = createServer(({ url, headers }, response) => {
      this.seen = headers;
      response.end(url === LARGE ? LARGE_ANSWER : undefined);
    });
    this.#service.listen(0, '127.0.0.1');
    await once(this.#service, 'listening');
    const { port } = this.#service.address() as AddressInfo;
    const start = async (of: RealEdge, ports: readonly (readonly [string, number])[]): Promise<void> => {
      this.edge = await startRealEdge(of, {
        server: { cert: chainPem, key: keyPem },
        trustedCas: this.ca.certificatePem,
        edgeSecret: 'edge-secret-of-this-test',
        upstreams: Object.fromEntries(ports.map(([name, at]) => [name, { host: '127.0.0.1', port: at }])),
        ...(change ? { change } : {}),
      });
      this.#running.push(this.edge);
    };
    await start(
      edge,
      UPSTREAMS.map((name) => [name, port]),
    );
    const { urls } = this.edge;
    if (stage)
      await start(
        stage,
        EDGE_ADDRESSES.map((address) => [address, portOf(urls[address])]),
      );
  }

  async close(): Promise<void> {
    for (const edge of this.#running) await edge.close();
    this.closeService();
  }

  closeService(): void {
    this.#service.closeAllConnections();
    this.#service.close();
  }

  mint(organizationName: string): Promise<TestQwac> {
    return testQwac({ issuer: this.ca, organizationName, organizationIdentifier: 'PSDDK-DFSA-1' });
  }

  /**
   * One request over a connection of its own.
   * @param options.from the caller's address
   * @param options.servername sent to HAProxy's port for all addresses
   * @throws when the edge ends the connection without an answer
   */
  async ask(
    address: EdgeAddress,
    options: { qwac?: Qwac; from?: string; servername?: string } & Pick<
      ConnectionOptions,
      'minVersion' | 'maxVersion'
    > = {},
  ): Promise<{ status: number; headers: IncomingHttpHeaders }> {
    const { qwac, from = '127.0.0.1', servername, ...versions } = options;
    const agent = new Agent({
      ca: this.ca.certificatePem,
      localAddress: from,
      // The certificate of a TPP has another name.
      checkServerIdentity: () => undefined,
      ...(qwac ? { cert: qwac.chainPem, key: qwac.keyPem } : {}),
      ...(servername === undefined ? {} : { servername }),
      ...versions,
    });
    const url =
      servername === undefined ? this.edge.urls[address] : `https://localhost:${this.edge.ports!.names}`;
    try {
      const signal = AbortSignal.timeout(60_000);
      const outgoing = request(url, { agent, family: 4, signal }).end();
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      response.resume();
      return { status: response.statusCode!, headers: response.headers };
    } finally {
      agent.destroy();
    }
  }
}
