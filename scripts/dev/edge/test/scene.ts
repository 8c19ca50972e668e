import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Agent, request } from 'node:https';
import { type AddressInfo, connect as connectPlainly, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { ensureSandboxCa, mintQwac, type Qwac, readIssuer, type SandboxCa } from '@kontoport/issuing';
import { type Edge, type EdgeOptions, startEdge } from '../src/edge.ts';
import { UPSTREAMS } from '../src/routes.ts';

export const EDGE_SECRET = 'edge-secret-of-this-test';
export const NO_PORTS = { base: 0, registration: 0, auth: 0, user: 0 };

/** What the service saw of a request. */
export interface Seen {
  url: string;
  headers: IncomingHttpHeaders;
  rawNames: string[];
  body: string;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

interface Call {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
  cert?: string;
  key?: string;
}

/** A caller that goes away in the middle of its body gets no answer. */
const hungUp = (): void => {};

/** A connection without TLS, to the base address. */
export function plainly(edge: Edge, host = '127.0.0.1'): Socket {
  const socket = connectPlainly(Number(new URL(edge.urls.base).port), host);
  socket.on('error', () => {});
  return socket;
}

/** Resolves when a connection has ended, in whatever way; what comes meanwhile is dropped. */
export async function closeOf(socket: Socket): Promise<void> {
  if (!socket.resume().closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}

/** An edge before one server that stands for all services, for the tests of a file. */
export class Scene {
  readonly folder = mkdtempSync(join(tmpdir(), 'kontoport-edge-'));
  ca!: SandboxCa;
  rootPem!: string;
  qwac!: Qwac;
  edge!: Edge;
  /** Of the last request. */
  seen!: Seen;
  answer!: (request: IncomingMessage) => Answer;
  #upstream!: Server;

  async open(change: Partial<EdgeOptions> = {}): Promise<void> {
    const { folder } = this;
    this.ca = await ensureSandboxCa({
      folder: join(folder, 'ca'),
      trustAnchors: join(folder, 'trust-anchors'),
      at: new Date(),
    });
    this.rootPem = readFileSync(this.ca.root.certificate, 'utf8');
    this.qwac = await mintQwac({
      request: { name: 'Edge Test', organizationIdentifier: 'PSDDK-DFSA-1', roles: ['PSP_AI'], days: 1 },
      issuer: await readIssuer(this.ca.issuingCa),
      at: new Date(),
    });
    this.#upstream = createServer((incoming, response) => {
      void text(incoming).then((body) => {
        const rawNames = incoming.rawHeaders.filter((_, at) => at % 2 === 0);
        this.seen = {
          url: incoming.url!,
          headers: incoming.headers,
          rawNames: rawNames.map((name) => name.toLowerCase()),
          body,
        };
        const { status, headers, body: reply } = this.answer(incoming);
        response.writeHead(status, headers).end(reply);
      }, hungUp);
    });
    this.#upstream.listen(0, '127.0.0.1');
    await once(this.#upstream, 'listening');
    this.edge = await this.edgeBefore(this.servicePort, change);
  }

  /** Where the services answer. */
  get servicePort(): number {
    return (this.#upstream.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await this.edge.close();
    this.#upstream.closeAllConnections();
    this.#upstream.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** An edge whose services all answer on one port. */
  edgeBefore(port: number, change: Partial<EdgeOptions> = {}): Promise<Edge> {
    return startEdge({
      hosts: ['127.0.0.1'],
      ports: NO_PORTS,
      server: {
        cert: readFileSync(this.ca.server.certificate, 'utf8'),
        key: readFileSync(this.ca.server.key, 'utf8'),
      },
      upstreams: Object.fromEntries(
        UPSTREAMS.map((name) => [name, { host: '127.0.0.1', port }]),
      ) as EdgeOptions['upstreams'],
      edgeSecret: EDGE_SECRET,
      connections: { perAddress: 500, inAll: 1_000 },
      handshakeMs: 10_000,
      ...change,
    });
  }

  /** An edge of a test's own, before services that a server of its own stands for. */
  async edgeOfItsOwn(
    change: Partial<EdgeOptions>,
    answer: (url: string, response: ServerResponse) => void = (_url, response) => response.end('{}'),
  ) {
    const services = createServer((incoming, response) => answer(incoming.url!, response));
    services.listen(0, '127.0.0.1');
    await once(services, 'listening');
    const edge = await this.edgeBefore((services.address() as AddressInfo).port, change);
    return {
      edge,
      async close() {
        await edge.close();
        services.closeAllConnections();
        services.close();
      },
    };
  }

  async call(url: string, { method = 'GET', headers = {}, body, cert, key }: Call = {}) {
    const agent = new Agent({
      ca: this.rootPem,
      cert: cert ?? this.qwac.chainPem,
      key: key ?? this.qwac.keyPem,
    });
    try {
      const outgoing = request(url, { method, headers, agent });
      outgoing.end(body);
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      const received = await text(response);
      return { status: response.statusCode, headers: response.headers, body: received };
    } finally {
      agent.destroy();
    }
  }

  /** A connection to an address of the edge, its handshake begun. */
  connect(url = this.edge.urls.base, options: ConnectionOptions = {}): TLSSocket {
    const { port } = new URL(url);
    const socket = connect({
      port: Number(port),
      host: '127.0.0.1',
      servername: 'localhost',
      ca: this.rootPem,
      ...options,
    });
    socket.on('error', () => {});
    return socket;
  }

  /** Writes bytes to an address as they are, and reads until the edge ends the connection. */
  async exchange(raw: string, url?: string): Promise<string> {
    const socket = this.connect(url);
    await once(socket, 'secureConnect');
    socket.write(raw);
    return text(socket);
  }
}
