import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { freePorts } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { describeWith } from '@kontoport/testing/describe-with';
import type { TestTpp } from '@kontoport/testing/peers';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { type ServiceProcess, startServiceProcess } from '@kontoport/testing/service-process';
import { EdgeScene } from './edge-scene.ts';
import { missingFor, REAL_EDGES, startRealEdge } from './real-edge.ts';

/** Callers, each with the next request as soon as the last is answered, over a connection that it keeps. */
const CALLERS = 12;
const REPLICAS = 2;

/** A replica of a service on ports of its own, which it keeps over restarts. */
class Replica {
  readonly port: number;
  readonly opsPort: number;
  readonly #env: Record<string, string>;
  #process!: ServiceProcess;

  constructor(ports: readonly number[], env: Record<string, string>) {
    const [http, grpc, ops] = ports as [number, number, number];
    this.port = http;
    this.opsPort = ops;
    this.#env = { ...env, HTTP_PORT: String(http), GRPC_PORT: String(grpc), OPS_PORT: String(ops) };
  }

  async start(): Promise<void> {
    this.#process = startServiceProcess({ service: 'account-information', env: this.#env });
    await this.#process.ready();
  }

  /** As an orchestrator ends a pod. */
  stop(): Promise<unknown> {
    return this.#process.kill('SIGTERM');
  }

  /** How many requests it has answered since it started. */
  async answered(): Promise<number> {
    const metrics = await (await fetch(`http://127.0.0.1:${this.opsPort}/metrics`)).text();
    const counts = metrics.matchAll(/^http_server_request_duration_seconds_count\{[^}]*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }
}

/** Callers that go on until they are told to stop. */
class Load {
  readonly answers: string[] = [];
  readonly #agent: Agent;
  readonly #running: Promise<void>[];
  #over = false;

  constructor(url: string, tpp: TestTpp, headers: Record<string, string>) {
    const { chainPem: cert, keyPem: key } = tpp.qwac;
    this.#agent = new Agent({ keepAlive: true, cert, key, rejectUnauthorized: false });
    this.#running = Array.from({ length: CALLERS }, () => this.#call(url, headers));
  }

  async #call(url: string, headers: Record<string, string>): Promise<void> {
    while (!this.#over)
      this.answers.push(
        await new Promise<string>((resolve) => {
          request(url, { agent: this.#agent, headers }, (response) => {
            text(response).then(
              (body) => resolve(response.statusCode === 200 ? '200' : `${response.statusCode} ${body}`),
              (error: Error) => resolve(error.message),
            );
          })
            .on('error', (error) => resolve(error.message))
            .end();
        }),
      );
  }

  async stop(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#running);
    this.#agent.destroy();
  }
}

describeWith(
  '§5.1 behind HAProxy, replicas that are restarted one after the other',
  { missing: missingFor(REAL_EDGES.haproxy) },
  () => {
    const scene = new EdgeScene();
    let replicas: Replica[] = [];
    let database: TestDatabase;

    beforeAll(async () => {
      await scene.open('haproxy', async ({ peers, server, upstreams }) => {
        database = await testDatabase('account-information');
        const env = {
          ...peers.env,
          EDGE_FORMAT: 'haproxy',
          DATABASE_URL: database.url,
          SECRETS_KEY: Buffer.alloc(32, 7).toString('base64url'),
          // Reading needs no broker.
          KAFKA_BROKERS: 'localhost:1',
          LOG_LEVEL: 'error',
          RATE_LIMIT_CLIENT: '1000000',
          RATE_LIMIT_ORGANIZATION: '1000000',
        };
        const ports = await freePorts(3 * REPLICAS);
        replicas = Array.from(
          { length: REPLICAS },
          (_, at) => new Replica(ports.slice(3 * at, 3 * at + 3), env),
        );
        await Promise.all(replicas.map((replica) => replica.start()));
        return startRealEdge(REAL_EDGES.haproxy, {
          server,
          trustedCas: peers.ca.certificatePem,
          edgeSecret: peers.env.EDGE_SECRET!,
          upstreams,
          change: (recipe) =>
            recipe.replace(
              /backend account_information from services\n {2}server .*\n/,
              [
                'backend account_information from services',
                '  option httpchk GET /readyz',
                '  option redispatch 1',
                '  timeout check 10s',
                ...replicas.map(
                  ({ port, opsPort }, at) =>
                    `  server service${at} 127.0.0.1:${port} check port ${opsPort} inter 200 fall 1 rise 1`,
                ),
                '',
              ].join('\n'),
            ),
        });
      });
    }, 180_000);

    afterAll(async () => {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await scene.close();
      await database.drop();
    });

    it('answer every request', async () => {
      const tpp = await scene.peers.addTpp();
      const { authorization } = await tpp.headers();
      const load = new Load(`${scene.edge.urls.base}/accounts`, tpp, { authorization: authorization! });
      const takesPart = (replica: Replica): Promise<unknown> =>
        until(async () => (await replica.answered()) > CALLERS, {
          what: 'a replica that answers requests',
          timeout: 60_000,
        });
      try {
        for (const replica of replicas) await takesPart(replica);
        for (const replica of replicas) {
          await replica.stop();
          await replica.start();
          await takesPart(replica);
        }
      } finally {
        await load.stop();
      }
      const failed = load.answers.filter((answer) => answer !== '200');
      expect({ failed: failed.length, such: failed.slice(0, 3) }).toEqual({ failed: 0, such: [] });
      expect(load.answers.length).toBeGreaterThan(4 * CALLERS);
    }, 180_000);
  },
);
