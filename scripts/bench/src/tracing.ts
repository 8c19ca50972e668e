import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { openBank } from './bench-bank.ts';
import { cpuSeconds, median, spread } from './figures.ts';
import type { Switches } from './switched.ts';
import { latenciesOf, type Target } from './throughput.ts';
import { openScene } from './webhooks.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 20);
/** Of the services, each for its part of the rounds. */
const STARTS = Math.min(Number(process.env.BENCH_STARTS ?? 2), ROUNDS);
/** Requests of a turn: short, so that what else the machine does meets all alike, and long to the clock of processor time, 10 ms. */
const TURNS = { page: 3_000, token: 10_000 };
/** Until what is done for one request in a hundred is compiled, too. */
const WARM_UPS = { page: 4_000, token: 20_000 };
const POSTINGS = 2_000;
const AT_A_TIME = 16;
/** Spans are sent within so long. */
const SENT_AFTER_MS = 1_000;
/** After a turn, for what is still to be sent: it belongs to whose turn it was, and would disturb the next. */
const SETTLE_MS = 1_300;
/**
 * A process that lived for days has its largest young generation; whether one that has just started gets there soon depends on what
 * it loaded, and that alone would be 5 µs of each request.
 */
const NODE_ARGUMENTS = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
/** Pairs of processes, and what each of a pair is asked. */
const PAIRS = Number(process.env.BENCH_PAIRS ?? 16);
const OF_A_PAIR = { warmUp: 12_000, requests: 40_000 };
/** To what is measured first. */
const GOAL = 1.05;

/**
 * What is compared. It is switched in processes that run: two that do the same differ by some per cent for as long as they live, more than
 * what is asked for.
 */
const SIDES: Readonly<Record<string, Switches>> = {
  neither: { measures: false, share: 0 },
  metrics: { measures: true, share: 0 },
  'metrics, 1 % of the traces': { measures: true, share: 0.01 },
  'metrics, 10 % of the traces': { measures: true, share: 0.1 },
  'metrics, all traces': { measures: true, share: 1 },
};

/** A service, or two. */
interface Services {
  pids: readonly number[];
  /** Does what is asked of them for the first time. */
  warm(): Promise<unknown>;
  /** Does one turn. @returns how many requests it had */
  turn(): Promise<number>;
  close(): Promise<unknown>;
}

const REQUESTS = { pages, tokens, webhooks };
const APART = 'apart';

/**
 * What metrics and traces cost: processor time of the services for each request, without histograms and counters, with them, and with
 * traces to a collector besides, in turn. PostgreSQL, the broker, the collector and who asks are processes of their own, and not counted.
 */
export async function benchTracing(): Promise<void> {
  const collector = fork(join(import.meta.dirname, 'otlp-receiver.ts'));
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-bench-'));
  try {
    const [{ port }] = (await once(collector, 'message')) as [{ port: number }];
    const traced = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_SCHEDULE_DELAY: String(SENT_AFTER_MS),
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    };
    const env = {
      ...traced,
      OTEL_TRACES_SAMPLER_ARG: '0',
      NODE_OPTIONS: `--import=${join(import.meta.dirname, 'switched.ts')}`,
      SWITCHED_BY: join(folder, 'switches'),
    };
    const { BENCH_REQUESTS: wanted = [...Object.keys(REQUESTS), APART].join(',') } = process.env;
    for (const [name, open] of Object.entries(REQUESTS))
      if (wanted.split(',').includes(name))
        await compare({ what: name, open: () => open(env), switchedBy: env.SWITCHED_BY, collector });
    if (wanted.split(',').includes(APART)) await compareApart({ ...traced, OTEL_TRACES_SAMPLER_ARG: '0.1' });
  } finally {
    collector.kill();
    rmSync(folder, { recursive: true });
  }
}

type Environment = Record<string, string>;

/** V2 page of 100 by account-information. */
async function pages(env: Environment): Promise<Services> {
  const bank = await openBank({ nodeArguments: NODE_ARGUMENTS });
  const url = await bank.database('account-information');
  const tpp = await bank.peers.addTpp();
  const headers = await tpp.headers();
  const { origin, process } = await bank.start('account-information', url, env);
  const { accounts } = (await until(
    async () => {
      const response = await fetch(`${origin}/accounts`, { headers });
      return response.ok ? response.json() : undefined;
    },
    { what: 'the accounts of the new client' },
  )) as { accounts: { id: string }[] };
  const path = `/v2/accounts/${accounts[0]!.id}/transactions?limit=100`;
  return asked({ origin, method: 'GET', path, headers }, { kind: 'page', bank, pid: process.pid });
}

/** Client credentials by auth, which remembers the proof of a secret. */
async function tokens(env: Environment): Promise<Services> {
  const bank = await openBank({ nodeArguments: NODE_ARGUMENTS });
  const { target, pid } = await (await authsOf(bank))(env);
  return asked(target, { kind: 'token', bank, pid });
}

/** Starts processes of auth, each with an environment. */
async function authsOf(bank: Awaited<ReturnType<typeof openBank>>) {
  const url = await bank.database('auth');
  const tpp = await bank.peers.addTpp();
  const SECRETS_KEY = randomBytes(32).toString('base64url');
  return async (env: Environment) => {
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
        authorization: `Basic ${Buffer.from(`${tpp.clientId}:${tpp.clientSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    };
    return { target, pid: process.pid, kill: () => process.kill() };
  };
}

/**
 * Two processes of auth, one without a collector and one with the share that the chart has, asked at the same time, and then two others.
 * What a process keeps for having traced shows here alone; what a pair differs by for other reasons is more than that, so it takes many.
 */
async function compareApart(traced: Environment): Promise<void> {
  const bank = await openBank({ nodeArguments: NODE_ARGUMENTS });
  try {
    const startAuth = await authsOf(bank);
    const micros: { without: number[]; traced: number[] } = { without: [], traced: [] };
    for (let pair = 0; pair < PAIRS; pair++) {
      // Who starts first is who may be luckier.
      const environments = pair % 2 === 0 ? [{}, traced] : [traced, {}];
      const auths = [];
      for (const env of environments) {
        const auth = await startAuth(env);
        await latenciesOf(auth.target, OF_A_PAIR.warmUp);
        auths.push({ ...auth, side: env === traced ? micros.traced : micros.without });
      }
      const before = auths.map(({ pid }) => cpuSeconds(pid));
      await Promise.all(auths.map(({ target }) => latenciesOf(target, OF_A_PAIR.requests)));
      await pause(SETTLE_MS);
      for (const [at, { pid, side }] of auths.entries())
        side.push(((cpuSeconds(pid) - before[at]!) / OF_A_PAIR.requests) * 1e6);
      for (const { kill } of auths) await kill();
    }
    tell(
      `tokens by ${PAIRS} pairs of processes`,
      new Map([
        ['metrics', micros.without],
        ['metrics, 10 % of the traces', micros.traced],
      ]),
    );
  } finally {
    await bank.close();
  }
}

/** From Ledger.Post to the webhook of it, by account-information and webhook-dispatcher. */
async function webhooks(env: Environment): Promise<Services> {
  const scene = await openScene({ broker: 'embedded', env, nodeArguments: NODE_ARGUMENTS });
  return {
    pids: scene.servicePids,
    warm: () => scene.postEach(3 * POSTINGS, AT_A_TIME),
    turn: async () => {
      await scene.postEach(POSTINGS, AT_A_TIME);
      return POSTINGS;
    },
    close: () => scene.close(),
  };
}

function asked(
  target: Target,
  by: { kind: keyof typeof TURNS; bank: { close(): Promise<unknown> }; pid: number },
): Services {
  const { kind, bank, pid } = by;
  return {
    pids: [pid],
    warm: () => latenciesOf(target, WARM_UPS[kind]),
    turn: async () => {
      await latenciesOf(target, TURNS[kind]);
      return TURNS[kind];
    },
    close: () => bank.close(),
  };
}

/** All in turn, round by round, every other round backwards. */
async function compare(requests: {
  what: string;
  open: () => Promise<Services>;
  switchedBy: string;
  collector: ChildProcess;
}): Promise<void> {
  const { what, open, switchedBy, collector } = requests;
  const micros = new Map(Object.keys(SIDES).map((name) => [name, [] as number[]]));
  const before = await bytesOf(collector);
  for (let start = 0; start < STARTS; start++) {
    const services = await open();
    try {
      const take = (switches: Switches): Promise<unknown> => switchTo(switches, switchedBy, services.pids);
      // What is done for traces is compiled as well before it is measured.
      await take(SIDES['metrics, all traces']!);
      await services.warm();
      await take(SIDES.neither!);
      await pause(SETTLE_MS);
      const idle = (await usedBy(services.pids, () => pause(4 * SETTLE_MS))) / 4;
      const turn = async (): Promise<number> => {
        let count = 0;
        const used = await usedBy(services.pids, async () => {
          count = await services.turn();
          await pause(SETTLE_MS);
        });
        return ((used - idle) / count) * 1e6;
      };
      const sides = Object.entries(SIDES);
      for (let round = start; round < ROUNDS; round += STARTS)
        for (const [name, switches] of (round - start) % (2 * STARTS) === 0 ? sides : sides.toReversed()) {
          await take(switches);
          micros.get(name)!.push(await turn());
        }
    } finally {
      await services.close();
    }
  }
  if ((await bytesOf(collector)) === before) throw new Error('no trace came to the collector');
  tell(what, micros);
}

/** Has the services measure and trace so much. */
async function switchTo(switches: Switches, file: string, pids: readonly number[]): Promise<void> {
  const text = JSON.stringify(switches);
  writeFileSync(file, text);
  const taken = (pid: number): boolean => {
    try {
      return readFileSync(`${file}.${pid}`, 'utf8') === text;
    } catch {
      return false;
    }
  };
  await until(() => pids.every(taken), { what: 'the services to take it' });
}

/** Processor seconds of the services in the meantime. */
async function usedBy(pids: readonly number[], work: () => Promise<unknown>): Promise<number> {
  const used = (): number => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const before = used();
  await work();
  return used() - before;
}

function tell(what: string, micros: ReadonlyMap<string, number[]>): void {
  const [[base, none]] = [...micros] as [[string, number[]]];
  console.log(`  ${what}: µs of processor of the services each, ${none.length} rounds`);
  for (const [name, each] of micros) {
    const ratios = each.map((one, i) => one / none[i]!);
    const isMet = median(ratios) <= GOAL;
    const verdict =
      each === none ? '' : `; to ${base} ${spread(ratios, 2)}; goal ${GOAL}: ${isMet ? 'met' : 'missed'}`;
    console.log(`    ${name.padEnd(28)} ${spread(each)}${verdict}`);
  }
}

async function bytesOf(collector: ChildProcess): Promise<number> {
  collector.send('bytes');
  const [{ bytes }] = (await once(collector, 'message')) as [{ bytes: number }];
  return bytes;
}
