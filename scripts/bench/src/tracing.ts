import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import type { ServiceProcess } from '@kontoport/testing/service-process';
import { openBank } from './bench-bank.ts';
import { cpuSeconds, median, spread } from './figures.ts';
import { latenciesOf, type Target } from './throughput.ts';
import { openScene } from './webhooks.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 10);
/**
 * Of the services, each for its part of the rounds: two processes that do the same differ by some per cent for as long as they live, and
 * by when they were started. So each start begins with another side, and several tell more than many rounds.
 */
const STARTS = Math.min(Number(process.env.BENCH_STARTS ?? 5), ROUNDS);
/**
 * Requests of a turn: short, so that what else the machine does meets all alike, and long to the clock of processor time, 10 ms, and to
 * the pause after it, in which V8 tidies up in its own good time.
 */
const TURNS = { page: 1_500, token: 30_000 };
/** Spans are sent within so long. */
const SENT_AFTER_MS = 1_000;
/** After a turn, for what is still to be sent: it belongs to whose turn it was, and would disturb the next. */
const SETTLE_MS = 1_300;
/** Until what is done for one request in a hundred is compiled, too. */
const WARM_UPS = { page: 4_000, token: 40_000 };
const POSTINGS = 400;
const AT_A_TIME = 16;
/**
 * A process that lived for days has its largest young generation; whether one that has just started gets there soon depends on what
 * it loaded, and that alone would be 5 µs of each request.
 */
const NODE_ARGUMENTS = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
/** To neither. */
const GOAL = 1.05;

type Environment = Record<string, string>;

/** A service, or two, that measure and trace so much. */
interface Side {
  name: string;
  /** Does one turn. @returns µs of processor of the services for each request */
  turn(): Promise<number>;
  close(): Promise<unknown>;
}

const REQUESTS = { pages, tokens, webhooks };
const shareOf = (share: number): Environment => ({
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: String(share),
});

/**
 * What metrics and traces cost: processor time of the services for each request, without histograms and counters, with them, and with
 * traces to a collector besides, in turn. PostgreSQL, the broker, the collector and who asks are processes of their own, and not counted.
 */
export async function benchTracing(): Promise<void> {
  const collector = fork(join(import.meta.dirname, 'otlp-receiver.ts'));
  try {
    const [{ port }] = (await once(collector, 'message')) as [{ port: number }];
    const traced = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_SCHEDULE_DELAY: String(SENT_AFTER_MS),
    };
    const environments: Record<string, Environment> = {
      neither: { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'unmeasured.ts')}` },
      metrics: {},
      'metrics, 1 % of the traces': { ...traced, ...shareOf(0.01) },
      'metrics, 10 % of the traces': { ...traced, ...shareOf(0.1) },
      'metrics, all traces': traced,
    };
    const { BENCH_REQUESTS: wanted = Object.keys(REQUESTS).join(',') } = process.env;
    for (const [name, compareThem] of Object.entries(REQUESTS))
      if (wanted.split(',').includes(name)) await compareThem(environments, collector);
  } finally {
    collector.kill();
  }
}

/** V2 page of 100 by account-information. */
async function pages(environments: Record<string, Environment>, collector: ChildProcess): Promise<void> {
  const bank = await openBank({ nodeArguments: NODE_ARGUMENTS });
  try {
    const url = await bank.database('account-information');
    const tpp = await bank.peers.addTpp();
    const headers = await tpp.headers();
    const open = async (name: string, env: Environment): Promise<Side> => {
      const { origin, process } = await bank.start('account-information', url, env);
      const { accounts } = (await until(
        async () => {
          const response = await fetch(`${origin}/accounts`, { headers });
          return response.ok ? response.json() : undefined;
        },
        { what: 'the accounts of the new client' },
      )) as { accounts: { id: string }[] };
      const path = `/v2/accounts/${accounts[0]!.id}/transactions?limit=100`;
      return sideOf({
        name,
        target: { origin, method: 'GET', path, headers },
        kind: 'page',
        process,
      });
    };
    await compare({ what: 'V2 page', environments, open, collector });
  } finally {
    await bank.close();
  }
}

/** Client credentials by auth, which remembers the proof of a secret. */
async function tokens(environments: Record<string, Environment>, collector: ChildProcess): Promise<void> {
  const bank = await openBank({ nodeArguments: NODE_ARGUMENTS });
  try {
    const url = await bank.database('auth');
    const tpp = await bank.peers.addTpp();
    const credentials = Buffer.from(`${tpp.clientId}:${tpp.clientSecret}`).toString('base64');
    const open = async (name: string, env: Environment): Promise<Side> => {
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
      return sideOf({ name, target, kind: 'token', process });
    };
    await compare({ what: 'token', environments, open, collector });
  } finally {
    await bank.close();
  }
}

const SECRETS_KEY = randomBytes(32).toString('base64url');

/** From Ledger.Post to the webhook of it, by account-information and webhook-dispatcher, each side with a broker of its own. */
async function webhooks(environments: Record<string, Environment>, collector: ChildProcess): Promise<void> {
  const open = async (name: string, env: Environment): Promise<Side> => {
    const scene = await openScene({ broker: 'embedded', env, nodeArguments: NODE_ARGUMENTS });
    const turn = (): Promise<number> => scene.serviceMicros(POSTINGS, AT_A_TIME);
    for (let i = 0; i < 4; i++) await turn();
    return { name, turn, close: () => scene.close() };
  };
  await compare({ what: 'Post → webhook', environments, open, collector });
}

/** A service that was asked until everything is compiled. */
async function sideOf(service: {
  name: string;
  target: Target;
  kind: keyof typeof TURNS;
  process: ServiceProcess;
}): Promise<Side> {
  const { name, target, kind, process } = service;
  const requests = TURNS[kind];
  const { pid } = process;
  const usedBy = async (work: Promise<unknown>): Promise<number> => {
    const before = cpuSeconds(pid);
    await work;
    return cpuSeconds(pid) - before;
  };
  await latenciesOf(target, WARM_UPS[kind]);
  await pause(SETTLE_MS);
  const idle = (await usedBy(pause(4 * SETTLE_MS))) / 4;
  return {
    name,
    async turn() {
      const used = await usedBy(latenciesOf(target, requests).then(() => pause(SETTLE_MS)));
      return ((used - idle) / requests) * 1e6;
    },
    close: () => process.kill(),
  };
}

/** All in turn, round by round, every other round backwards. */
async function compare(requests: {
  what: string;
  environments: Record<string, Environment>;
  open: (name: string, env: Environment) => Promise<Side>;
  collector: ChildProcess;
}): Promise<void> {
  const { what, environments, open, collector } = requests;
  const micros = new Map(Object.keys(environments).map((name) => [name, [] as number[]]));
  const before = await bytesOf(collector);
  for (let start = 0; start < STARTS; start++) {
    const sides: Side[] = [];
    try {
      const all = Object.entries(environments);
      const first = start % all.length;
      for (const [name, env] of [...all.slice(first), ...all.slice(0, first)])
        sides.push(await open(name, env));
      for (let round = start; round < ROUNDS; round += STARTS)
        for (const side of (round - start) % (2 * STARTS) === 0 ? sides : sides.toReversed())
          micros.get(side.name)!.push(await side.turn());
    } finally {
      for (const side of sides) await side.close();
    }
  }
  if ((await bytesOf(collector)) === before) throw new Error('no trace came to the collector');
  tell(what, micros);
}

function tell(what: string, micros: ReadonlyMap<string, number[]>): void {
  const [none, measured] = [...micros.values()] as [number[], number[]];
  console.log(`  ${what}: µs of processor of the services each, ${ROUNDS} rounds`);
  for (const [name, each] of micros) {
    const ratios = (other: readonly number[]): number[] => each.map((one, i) => one / other[i]!);
    const toNeither = each === none ? '' : `; to neither ${spread(ratios(none), 2)}`;
    const toMetrics = each === none || each === measured ? '' : `, to metrics ${spread(ratios(measured), 2)}`;
    const isMet = median(ratios(none)) <= GOAL;
    const verdict = toMetrics === '' ? '' : `; goal ${GOAL}: ${isMet ? 'met' : 'missed'}`;
    console.log(`    ${name.padEnd(28)} ${spread(each)}${toNeither}${toMetrics}${verdict}`);
  }
}

async function bytesOf(collector: ChildProcess): Promise<number> {
  collector.send('bytes');
  const [{ bytes }] = (await once(collector, 'message')) as [{ bytes: number }];
  return bytes;
}
