import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, type ConnectionOptions } from 'node:tls';
import { readConfig } from '@kontoport/config';
import { type EdgeFormat, openGate, route } from '@kontoport/gate';
import { startHttpServer } from '@kontoport/http';
import { ensureSandboxCa } from '@kontoport/issuing';
import { createLogger, Lifecycle } from '@kontoport/lifecycle';
import { commonConfig } from '@kontoport/service/common-config';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { z } from 'zod';
import { EDGE_ROUTES, type EdgeAddress, type UpstreamName, UPSTREAMS } from '../src/routes.ts';
import type { RunningEdge } from './real-edge.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

/** A route at the beginning of every path that a service has. */
const who = (service: UpstreamName, path: string) =>
  route({
    clause: '§5.1',
    summary: 'A test',
    answers: { 200: { description: 'Who calls.', json: z.unknown(), example: {} } },
    method: 'GET',
    path,
    security: { kind: 'certificate' },
    handler: async ({ principal }) => ({
      status: 200,
      json: { service, thumbprint: principal.certificate.thumbprint },
    }),
  });

/** The request as a service received it. */
export interface SeenByService {
  service: UpstreamName;
  method: string;
  url: string;
  /** Names in lower case, in the order in which they came. */
  headers: readonly (readonly [name: string, value: string])[];
  body: string;
}

/** The credentials of a client in the handshake, and an earlier session to resume. */
export type Presented = Pick<
  ConnectionOptions,
  'cert' | 'key' | 'session' | 'minVersion' | 'maxVersion' | 'ciphers'
>;

export interface RawAnswer {
  status: number;
  head: string;
  body: string;
  resumed: boolean;
  /** The last session that the server handed out. */
  session?: Buffer;
}

/**
 * The services behind an edge: one that judges certificates at `/accounts`, one at `/payments` that also knows the issuing CA, and
 * at all other addresses one that answers with the request that it received.
 */
export class EdgeScene {
  peers!: FakePeers;
  server!: { cert: string; key: string };
  rootPem!: string;
  upstreams!: Record<UpstreamName, { host: string; port: number }>;
  edge!: RunningEdge;
  #folder!: string;
  #issuers!: string;
  readonly #lifecycle = new Lifecycle();
  readonly #tellers: Server[] = [];

  /** @param start the edge itself */
  async open(format: EdgeFormat, start: (scene: EdgeScene) => Promise<RunningEdge>): Promise<void> {
    this.#folder = mkdtempSync(join(tmpdir(), 'kontoport-edge-scene-'));
    this.#issuers = join(this.#folder, 'issuers');
    this.peers = await startFakePeers();
    const ca = await ensureSandboxCa({
      folder: join(this.#folder, 'ca'),
      trustAnchors: join(this.#folder, 'anchors'),
      at: new Date(),
    });
    this.rootPem = readFileSync(ca.root.certificate, 'utf8');
    this.server = {
      cert: readFileSync(ca.server.certificate, 'utf8'),
      key: readFileSync(ca.server.key, 'utf8'),
    };
    const env = { ...this.peers.env, EDGE_FORMAT: format };
    mkdirSync(this.#issuers);
    writeFileSync(join(this.#issuers, 'issuing.pem'), this.peers.issuing.certificatePem);
    const upstreams: Partial<EdgeScene['upstreams']> = {};
    for (const name of UPSTREAMS) {
      const port =
        name === 'account-information'
          ? await this.#judge(name, env)
          : name === 'payments'
            ? await this.#judge(name, { ...env, INTERMEDIATES: this.#issuers })
            : await this.#tell(name);
      upstreams[name] = { host: '127.0.0.1', port };
    }
    this.upstreams = upstreams as EdgeScene['upstreams'];
    this.edge = await start(this);
  }

  async close(): Promise<void> {
    await this.edge?.close();
    for (const server of this.#tellers) {
      server.closeAllConnections();
      server.close();
    }
    await this.#lifecycle.close(logger);
    await this.peers.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #judge(service: UpstreamName, env: Record<string, string>): Promise<number> {
    const lifecycle = this.#lifecycle;
    const gate = await openGate({
      service: 'test',
      config: readConfig(commonConfig, env),
      logger,
      lifecycle,
    });
    const http = await startHttpServer({
      host: '127.0.0.1',
      port: 0,
      routes: EDGE_ROUTES.filter(({ upstream }) => upstream === service).map(({ prefix }) =>
        who(service, prefix),
      ),
      gate,
      logger,
      prefixes: ['/aisp-pisp'],
    });
    lifecycle.own(service, http);
    return http.port;
  }

  async #tell(service: UpstreamName): Promise<number> {
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const { rawHeaders } = request;
        const seen: SeenByService = {
          service,
          method: request.method!,
          url: request.url!,
          headers: rawHeaders.flatMap((name, at) =>
            at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1]!] as const] : [],
          ),
          body,
        };
        response.end(JSON.stringify(seen));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#tellers.push(server);
    return (server.address() as AddressInfo).port;
  }

  /** Sends one request on a connection of its own; `lines` are the headers as sent. */
  async ask(
    address: EdgeAddress,
    request: {
      line?: string;
      lines?: readonly string[];
      body?: string;
      presented?: Presented;
      edge?: RunningEdge;
    } = {},
  ): Promise<RawAnswer> {
    const { line = 'GET /accounts', lines = [], body = '', presented = {}, edge = this.edge } = request;
    const socket = connect({
      host: '127.0.0.1',
      port: Number(new URL(edge.urls[address]).port),
      servername: 'localhost',
      ca: this.rootPem,
      ...presented,
    });
    let resumed = false;
    socket.on('secureConnect', () => (resumed = socket.isSessionReused()));
    let session: Buffer | undefined;
    socket.on('session', (fresh: Buffer) => (session = fresh));
    // A connection that is cut is the end of the answer, too.
    socket.on('error', () => {});
    let received = '';
    socket.setEncoding('utf8').on('data', (part: string) => (received += part));
    const closed = new Promise((resolve) => socket.on('close', resolve));
    const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
    const head = [`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...length, ...lines];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    await closed;
    const [answer = '', ...rest] = received.split('\r\n\r\n');
    return {
      status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]),
      head: answer,
      body: rest.join('\r\n\r\n'),
      resumed,
      ...(session ? { session } : {}),
    };
  }

  /** Returns the request that the echoing service behind an address received. */
  async seen(address: EdgeAddress, request: Parameters<EdgeScene['ask']>[1] = {}): Promise<SeenByService> {
    const { status, body } = await this.ask(address, { line: 'GET /anything', ...request });
    if (status !== 200) throw new Error(`answered ${status}: ${body}`);
    return JSON.parse(body) as SeenByService;
  }
}
