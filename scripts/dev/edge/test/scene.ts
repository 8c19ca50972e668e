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
import { connect, type TLSSocket } from 'node:tls';
import { ensureSandboxCa, mintQwac, type Qwac, readIssuer, type SandboxCa } from '@kontoport/issuing';
import { type Edge, type EdgeOptions, startEdge } from '../src/edge.ts';
import { UPSTREAMS } from '../src/routes.ts';

/** A request as the service saw it. */
export interface Seen {
  url: string;
  headers: IncomingHttpHeaders;
  /** In lower case. */
  rawNames: string[];
  body: string;
}

interface Call {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
  cert?: string;
  agent?: Agent;
}

/** A connection without TLS to the base address. */
export function plainly(edge: Edge, host = '127.0.0.1'): Socket {
  return connectPlainly(Number(new URL(edge.urls.base).port), host).on('error', () => {});
}

/** Resolves when a connection has ended. Drops what still comes. */
export async function closeOf(socket: Socket): Promise<void> {
  if (!socket.resume().closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}

/** An edge before one server that answers for all services. */
export class Scene {
  readonly #folder = mkdtempSync(join(tmpdir(), 'kontoport-edge-'));
  ca!: SandboxCa;
  rootPem!: string;
  qwac!: Qwac;
  edge!: Edge;
  /** The last request. */
  seen!: Seen;
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) =>
    response.end('{}');
  #upstream!: Server;
  readonly #edges: Edge[] = [];

  async open(): Promise<void> {
    this.ca = await ensureSandboxCa({
      folder: join(this.#folder, 'ca'),
      trustAnchors: join(this.#folder, 'trust-anchors'),
      at: new Date(),
    });
    this.rootPem = readFileSync(this.ca.root.certificate, 'utf8');
    this.qwac = await mintQwac({
      request: { name: 'Edge Test', organizationIdentifier: 'PSDDK-DFSA-1', roles: ['PSP_AI'], days: 1 },
      issuer: await readIssuer(this.ca.issuingCa),
      at: new Date(),
    });
    this.#upstream = createServer((incoming, response) => {
      const { url, headers, rawHeaders } = incoming;
      const rawNames = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
      this.seen = { url: url!, headers, rawNames, body: '' };
      incoming.setEncoding('utf8').on('data', (part: string) => (this.seen.body += part));
      incoming.once('end', () => this.answer(incoming, response));
    });
    this.#upstream.listen(0, '127.0.0.1');
    await once(this.#upstream, 'listening');
    this.edge = await this.start();
  }

  async close(): Promise<void> {
    await Promise.all(this.#edges.map((edge) => edge.close()));
    this.#upstream.closeAllConnections();
    this.#upstream.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Starts an edge whose services all answer on one port: by default that of the scene. */
  async start({
    port = (this.#upstream.address() as AddressInfo).port,
    ...change
  }: Partial<EdgeOptions> & { port?: number } = {}): Promise<Edge> {
    const edge = await startEdge({
      hosts: ['127.0.0.1'],
      ports: { base: 0, registration: 0, auth: 0, user: 0 },
      server: {
        cert: readFileSync(this.ca.server.certificate, 'utf8'),
        key: readFileSync(this.ca.server.key, 'utf8'),
      },
      upstreams: Object.fromEntries(
        UPSTREAMS.map((name) => [name, { host: '127.0.0.1', port }]),
      ) as EdgeOptions['upstreams'],
      edgeSecret: 'edge-secret-of-this-test',
      connections: { perAddress: 500, inAll: 1_000 },
      handshakeMs: 10_000,
      ...change,
    });
    this.#edges.push(edge);
    return edge;
  }

  newAgent(options: { cert?: string; keepAlive?: boolean } = {}): Agent {
    const { cert = this.qwac.chainPem, keepAlive = false } = options;
    return new Agent({ ca: this.rootPem, cert, key: this.qwac.keyPem, keepAlive });
  }

  async call(url: string, { method = 'GET', headers = {}, body, cert, agent: given }: Call = {}) {
    const agent = given ?? this.newAgent(cert === undefined ? {} : { cert });
    try {
      const outgoing = request(url, { method, headers, agent });
      outgoing.end(body);
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      const received = await text(response);
      return { status: response.statusCode, headers: response.headers, body: received };
    } finally {
      if (given === undefined) agent.destroy();
    }
  }

  /** Opens a connection without client certificate. */
  async connect(url = this.edge.urls.base): Promise<TLSSocket> {
    const socket = connect({
      port: Number(new URL(url).port),
      host: '127.0.0.1',
      servername: 'localhost',
      ca: this.rootPem,
    }).on('error', () => {});
    await once(socket, 'secureConnect');
    return socket;
  }

  /** Writes bytes to an address as they are, and reads until the edge ends the connection. */
  async exchange(raw: string, url?: string): Promise<string> {
    const socket = await this.connect(url);
    socket.write(raw);
    return text(socket);
  }
}
