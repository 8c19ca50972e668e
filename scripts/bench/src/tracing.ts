import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { openBank } from './bench-bank.ts';
import { cpuSeconds, median, spread } from './figures.ts';
import { latenciesOf, type Target } from './throughput.ts';
import { openScene } from './webhooks.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 10);
/** Requests of a turn: short, so that what else the machine does meets all alike, and long to the clock of processor time, 10 ms. */
const TURN = 3_000;
const WARM_UP = 4_000;
const POSTINGS = 400;
const AT_A_TIME = 16;
/** Of metrics and as many traces as the chart has recorded, to neither. */
const GOAL = 1.05;
const AS_SHIPPED = 'metrics, a tenth of the traces';

type Environment = Record<string, string>;

/** A service, or two, that measure and trace so much. */
interface Side {
  name: string;
  /** Does one turn. @returns µs of processor of the services for each request */
  turn(): Promise<number>;
}

/**
 * What metrics and traces cost: processor time of the services for each request, without histograms and counters, with them, and with
 * traces to a collector besides, in turn. PostgreSQL, the broker, the collector and who asks are processes of their own, and not counted.
 */
export async function benchTracing(): Promise<void> {
  const collector = fork(join(import.meta.dirname, 'otlp-receiver.ts'));
  try {
    const [{ port }] = (await once(collector, 'message')) as [{ port: number }];
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
    const environments: Record<string, Environment> = {
      neither: { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'unmeasured.ts')}` },
      metrics: {},
      [AS_SHIPPED]: {
        ...traced,
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.1',
      },
      'metrics, all traces': traced,
    };
    await pages(environments, collector);
    await tokens(environments, collector);
    await webhooks(environments, collector);
  } finally {
    collector.kill();
  }
}

/** V2 page of 100 by account-information. */
async function pages(environments: Record<string, Environment>, collector: ChildProcess): Promise<void> {
  const bank = await openBank();
  try {
    const url = await bank.database('account-information');
    const tpp = await bank.peers.addTpp();
    const headers = await tpp.headers();
    const sides: Side[] = [];
    for (const [name, env] of Object.entries(environments)) {
      const { origin, process } = await bank.start('account-information', url, env);
      const { accounts } = (await until(
        async () => {
          const response = await fetch(`${origin}/accounts`, { headers });
          return response.ok ? response.json() : undefined;
        },
        { what: 'the accounts of the new client' },
      )) as { accounts: { id: string }[] };
      const path = `/v2/accounts/${accounts[0]!.id}/transactions?limit=100`;
      sides.push(await sideOf({ name, target: { origin, method: 'GET', path, headers }, pid: process.pid }));
    }
    await compare('V2 page', sides, collector);
  } finally {
    await bank.close();
  }
}

/** Client credentials by auth, which remembers the proof of a secret. */
async function tokens(environments: Record<string, Environment>, collector: ChildProcess): Promise<void> {
  const bank = await openBank();
  try {
    const url = await bank.database('auth');
    const tpp = await bank.peers.addTpp();
    const credentials = Buffer.from(`${tpp.clientId}:${tpp.clientSecret}`).toString('base64');
    const sides: Side[] = [];
    for (const [name, env] of Object.entries(environments)) {
      const { origin, process } = await bank.start('auth', url, {
        USER_PORT: String(await freePort()),
        PAYMENTS_GRPC: 'localhost:1',
        ACCOUNTS_GRPC: 'localhost:1',
        USER_URL: 'https://user.bank.test',
        SECRETS_KEY,
        ...env,
      });
      const target: Target = {
        origin,
        method: 'POST',
        path: '/oauth2/token',
        headers: {
          ...tpp.certificateHeaders,
          authorization: `Basic ${credentials}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
      };
      sides.push(await sideOf({ name, target, pid: process.pid }));
    }
    await compare('token', sides, collector);
  } finally {
    await bank.close();
  }
}

const SECRETS_KEY = randomBytes(32).toString('base64url');

/** From Ledger.Post to the webhook of it, by account-information and webhook-dispatcher, each side with a broker of its own. */
async function webhooks(environments: Record<string, Environment>, collector: ChildProcess): Promise<void> {
  const scenes: Awaited<ReturnType<typeof openScene>>[] = [];
  try {
    const sides: Side[] = [];
    for (const [name, env] of Object.entries(environments)) {
      const scene = await openScene({ broker: 'embedded', env });
      scenes.push(scene);
      const turn = (): Promise<number> => scene.serviceMicros(POSTINGS, AT_A_TIME);
      for (let i = 0; i < 4; i++) await turn();
      sides.push({ name, turn });
    }
    await compare('Post → webhook', sides, collector);
  } finally {
    for (const scene of scenes) await scene.close();
  }
}

/** A service that was asked until everything is compiled. */
async function sideOf(service: { name: string; target: Target; pid: number }): Promise<Side> {
  const { name, target, pid } = service;
  await latenciesOf(target, WARM_UP);
  return {
    name,
    async turn() {
      const before = cpuSeconds(pid);
      await latenciesOf(target, TURN);
      return ((cpuSeconds(pid) - before) / TURN) * 1e6;
    },
  };
}

/** All in turn, round by round, every other round backwards. */
async function compare(what: string, sides: readonly Side[], collector: ChildProcess): Promise<void> {
  const micros = new Map(sides.map(({ name }) => [name, [] as number[]]));
  const before = await bytesOf(collector);
  for (let round = 0; round < ROUNDS; round++)
    for (const side of round % 2 === 0 ? sides : sides.toReversed())
      micros.get(side.name)!.push(await side.turn());
  if ((await bytesOf(collector)) === before) throw new Error('no trace came to the collector');
  const [none, measured] = [...micros.values()] as [number[], number[]];
  console.log(`  ${what}: µs of processor of the services each, ${ROUNDS} rounds`);
  for (const [name, each] of micros) {
    const to = (other: readonly number[]): string =>
      spread(
        each.map((one, i) => one / other[i]!),
        2,
      );
    const ratios = each === none ? '' : `; to neither ${to(none)}`;
    console.log(
      `    ${name.padEnd(28)} ${spread(each)}${ratios}${each === none || each === measured ? '' : `, to metrics ${to(measured)}`}`,
    );
  }
  const met = median(micros.get(AS_SHIPPED)!.map((one, i) => one / none[i]!)) <= GOAL;
  console.log(`    goal ${GOAL} with a tenth of the traces, as the chart has it: ${met ? 'met' : 'missed'}`);
}

async function bytesOf(collector: ChildProcess): Promise<number> {
  collector.send('bytes');
  const [{ bytes }] = (await once(collector, 'message')) as [{ bytes: number }];
  return bytes;
}
