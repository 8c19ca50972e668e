import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { credentials } from '@grpc/grpc-js';
import { createDatabase, openPool } from '@kontoport/database';
import { ownBrokerAvailable } from '@kontoport/embedded/apache-kafka';
import { until } from '@kontoport/embedded/wait';
import { LedgerServiceClient, PostRequest } from '@kontoport/proto/accounts/v1';
import { type TlsFolder, tlsFolder } from '@kontoport/testing/tls';
import { type BrokerKind, openBank } from './bench-bank.ts';
import { checkouts } from './checkout.ts';
import {
  childOf,
  cpuSeconds,
  familySeconds,
  machineSeconds,
  memoryMb,
  parentOf,
  percentile,
} from './figures.ts';
import { addAccounts } from './ledger.ts';
import { machineMs } from './receivers.ts';
import { type Receivers, startReceivers, subscribe } from './webhook-parts.ts';

/** Of the fan-out; the issue's figure is for 100,000. */
const DELIVERIES = Number(process.env.BENCH_DELIVERIES ?? 24_000);
const SINGLE = DELIVERIES / 8;
const PACED_SECONDS = Number(process.env.BENCH_PACED_SECONDS ?? 10);
/** The virtual machine of a broker compiles for so long what it runs: a bank's has been up for weeks. */
const WARM_SECONDS = Number(process.env.BENCH_WARM_SECONDS ?? 40);
const RATES = [300, 1_000] as const;
const CALLERS = 48;
/** Postings under way at a time, each until its webhook has come: few, which share little of what they cost, and many. */
const AT_A_TIME = [8, 96];
const SLOW_MS = 5_000;
const WARM = 0.2;

/**
 * Webhooks from Ledger.Post to receivers that verify them, over both brokers: deliveries per second of processor of the
 * dispatcher, account-information, PostgreSQL and the broker together; beside loops that only sign and POST.
 */
export async function benchWebhooks(): Promise<void> {
  await baselines();
  for (const broker of ownBrokerAvailable() ? (['embedded', 'apache'] as const) : (['embedded'] as const)) {
    const scenes: { label: string; scene: Scene }[] = [];
    try {
      for (const { label, root } of checkouts())
        scenes.push({ label: `${broker} ${label}`.trim(), scene: await openScene({ broker, root }) });
      for (const { scene } of scenes) await scene.fanOut(WARM * DELIVERIES);
      for (const { label, scene } of scenes)
        console.log(`  ${label}: fan-out 8, ${await scene.fanOut(DELIVERIES)}`);
      for (const atATime of AT_A_TIME)
        for (const { label, scene } of scenes)
          console.log(
            `  ${label}: one per posting, ${atATime} at a time, ${await scene.single(SINGLE, atATime)}`,
          );
      if (broker === 'apache') for (const { scene } of scenes) await scene.paced(RATES[0], WARM_SECONDS);
      for (const rate of RATES)
        for (const { label, scene } of scenes)
          console.log(`  ${label}: ${rate} a second, ${await scene.paced(rate)}`);
      for (const { label, scene } of scenes) console.log(`  ${label}: ${await scene.besideSlow(DELIVERIES)}`);
    } finally {
      for (const { scene } of scenes) await scene.close();
    }
  }
  await overTls();
}

/** Receivers over TLS, as TPPs have them: what it costs, and how many connections are made for it. */
async function overTls(): Promise<void> {
  const tls = await tlsFolder();
  const scene = await openScene({ broker: 'embedded', tls });
  try {
    await scene.fanOut(WARM * DELIVERIES);
    console.log(`  over TLS: fan-out 8, ${await scene.fanOut(DELIVERIES)}`);
    for (const rate of RATES) console.log(`  over TLS: ${rate} a second, ${await scene.paced(rate)}`);
    console.log(`  over TLS: ${await scene.connections()} connections to eight receivers, all in all`);
  } finally {
    await scene.close();
    tls.remove();
  }
}

/** The same number of signed POSTs from a loop that does nothing else, and from one that also writes a row of each. */
async function baselines(): Promise<void> {
  const receivers = await startReceivers();
  const bank = await openBank();
  try {
    await receivers.ask({ keys: receivers.ports.map(() => 'k'.repeat(32)) });
    const url = await createDatabase(bank.postgresUrl, `bench_bare_${randomUUID().slice(0, 8)}`);
    for (const [name, ...database] of [['bare sign + POST'], ['bare sign + POST + row', url]] as const) {
      const loop = fork(join(import.meta.dirname, 'bare-webhooks.ts'), [
        String(DELIVERIES),
        receivers.ports.join(),
        ...database,
      ]);
      await once(loop, 'message');
      const server = database.length === 0 ? undefined : await serverOf(url);
      const before = server === undefined ? 0 : familySeconds(server);
      loop.send('go');
      const [{ seconds, cpu }] = (await once(loop, 'message')) as [{ seconds: number; cpu: number }];
      const postgres = server === undefined ? 0 : familySeconds(server) - before;
      loop.kill();
      const perCpuSecond = DELIVERIES / (cpu + postgres);
      console.log(
        `  ${name}: ${perCpuSecond.toFixed(0)} per CPU-s, ${(DELIVERIES / seconds).toFixed(0)}/s; µs each: loop ${micros(cpu)}, PostgreSQL ${micros(postgres)}`,
      );
    }
    const { invalid } = await receivers.ask();
    if (invalid > 0) throw new Error(`${invalid} signatures are wrong`);
  } finally {
    receivers.close();
    await bank.close();
  }
}

const micros = (seconds: number, count = DELIVERIES): string => ((seconds / count) * 1e6).toFixed(0);

interface Parts {
  bank: Awaited<ReturnType<typeof openBank>>;
  receivers: Receivers;
  ledger: LedgerServiceClient;
  dispatcher: number;
  accountInformation: number;
  postgres: number;
  broker: number;
  webhooksPool: ReturnType<typeof openPool>;
  /** Accounts of which all eight may know. */
  everybodys: string[];
  /** Accounts of one each, in the order of the receivers, four of each. */
  own: string[];
}

/** The services of one checkout (default: this one), eight subscribed TPPs, and accounts. */
export async function openScene(options: {
  broker: BrokerKind;
  root?: string;
  nodeArguments?: readonly string[];
  tls?: TlsFolder;
  env?: Record<string, string>;
}): Promise<Scene> {
  const { broker, tls, env = {} } = options;
  const receivers = await startReceivers(await tls?.issue('receivers', { server: ['localhost'] }));
  const origin = tls === undefined ? 'http://127.0.0.1' : 'https://localhost';
  const bank = await openBank(options);
  const accountsUrl = await bank.database('account-information');
  const webhooksUrl = await bank.database('webhook-dispatcher');
  const accountInformation = await bank.start('account-information', accountsUrl, env);
  const trust: Record<string, string> = tls === undefined ? {} : { NODE_EXTRA_CA_CERTS: tls.ca };
  const dispatcher = await bank.start('webhook-dispatcher', webhooksUrl, { ...trust, ...env });
  const clientIds: string[] = [];
  const keys: string[] = [];
  for (const port of receivers.ports) {
    const tpp = await bank.peers.addTpp();
    clientIds.push(tpp.clientId);
    keys.push(await subscribe({ origin: dispatcher.origin, tpp, callbackUrl: `${origin}:${port}/` }));
  }
  await receivers.ask({ keys });
  const pool = openPool({ url: accountsUrl, applicationName: 'bench', max: 1 });
  const everybodys = await addAccounts(pool, 32, clientIds);
  const own: string[] = [];
  for (const clientId of clientIds) own.push(...(await addAccounts(pool, 4, [clientId])));
  await pool.end();
  return new Scene({
    bank,
    receivers,
    ledger: new LedgerServiceClient(accountInformation.grpcAddress, credentials.createInsecure()),
    dispatcher: dispatcher.process.pid,
    accountInformation: accountInformation.process.pid,
    postgres: await serverOf(webhooksUrl),
    broker: childOf(broker === 'embedded' ? 'broker/main.ts' : 'kafka.Kafka'),
    webhooksPool: openPool({ url: webhooksUrl, applicationName: 'bench', max: 1 }),
    everybodys,
    own,
  });
}

/** What can be measured of it. */
class Scene {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Each posting for all eight; so many callers, each with the next one as soon as the last is answered. */
  async fanOut(deliveries: number): Promise<string> {
    const text = await this.#measured(deliveries, () => this.#flood(deliveries / 8));
    return `${text}; memory ${memoryMb(this.#parts.dispatcher).resident.toFixed(0)} MB`;
  }

  /** Each posting for one of eight clients; so many callers, each with the next one when the webhook of the last has come. */
  async single(postings: number, atATime: number): Promise<string> {
    return this.#measured(postings, () => this.postEach(postings, atATime));
  }

  /** Of the two services. */
  get servicePids(): readonly number[] {
    return [this.#parts.dispatcher, this.#parts.accountInformation];
  }

  /** The same, unmeasured. */
  async postEach(postings: number, atATime: number): Promise<void> {
    const { receivers, own } = this.#parts;
    const waited = new Map<string, () => void>();
    receivers.onWebhook = (id) => waited.get(id)?.();
    await receivers.ask({ announces: true });
    await inParallel(postings, atATime, async (index) => {
      const id = randomUUID();
      const came = new Promise<void>((resolve) => waited.set(id, resolve));
      await this.#post(own[(index % 8) * 4 + (Math.floor(index / 8) % 4)]!, id);
      await came;
      waited.delete(id);
    });
    await receivers.ask({ announces: false });
  }

  /** So many postings a second, each for one: how long from the call to the receiver. */
  async paced(rate: number, seconds = PACED_SECONDS): Promise<string> {
    const { receivers, own } = this.#parts;
    const began = new Map<string, number>();
    const all = rate * seconds;
    const [othersBefore, startedAt] = [this.#others(), machineMs()];
    const text = await this.#measured(all, async () => {
      const answers: Promise<unknown>[] = [];
      const started = performance.now();
      while (answers.length < all) {
        const due = Math.min(((performance.now() - started) * rate) / 1_000, all);
        while (answers.length < due) {
          const id = randomUUID();
          began.set(id, machineMs());
          answers.push(this.#post(own[(answers.length * 5) % own.length]!, id));
        }
        await pause(1);
      }
      await Promise.all(answers);
    });
    const { times = [] } = await receivers.ask({ times: true });
    const latencies = times.map(([id, at]) => at - began.get(id)!);
    // Beside others who work here these say more of them.
    const others =
      (this.#others() - othersBefore) / (((machineMs() - startedAt) / 1_000) * availableParallelism());
    return `p50 ${percentile(latencies, 50).toFixed(1)} ms, p99 ${percentile(latencies, 99).toFixed(1)} ms (others had ${(100 * Math.max(0, others)).toFixed(0)} % of the machine); ${text}`;
  }

  /** Made to the receivers so far. */
  async connections(): Promise<number> {
    return (await this.#parts.receivers.ask()).connections;
  }

  /** The seven others, undisturbed and while one of the eight answers after 5 s. */
  async besideSlow(deliveries: number): Promise<string> {
    const { receivers } = this.#parts;
    const events = deliveries / 8;
    const sevens = async (): Promise<number> => {
      await receivers.ask({ reset: true });
      const started = machineMs();
      await this.#flood(events);
      await until(
        async () => (await receivers.ask()).received.slice(1).every((received) => received >= events),
        { what: 'the seven', timeout: 900_000 },
      );
      return (7 * events) / ((machineMs() - started) / 1_000);
    };
    const undisturbed = await sevens();
    await until(async () => (await receivers.count()) >= deliveries, { what: 'the eighth' });
    await receivers.ask({ slow: { at: 0, milliseconds: SLOW_MS } });
    const disturbed = await sevens();
    await receivers.ask({ slow: null });
    return `seven of eight, undisturbed ${undisturbed.toFixed(0)}/s, while one answers after 5 s ${disturbed.toFixed(0)}/s: ${(disturbed / undisturbed).toFixed(2)}`;
  }

  async close(): Promise<void> {
    const { ledger, webhooksPool, bank, receivers } = this.#parts;
    ledger.close();
    await webhooksPool.end();
    await bank.close();
    receivers.close();
  }

  /** Processor seconds of the machine that went to nobody who takes part. */
  #others(): number {
    const { dispatcher, accountInformation, postgres, broker, receivers } = this.#parts;
    const own = [dispatcher, accountInformation, broker, receivers.pid, process.pid].map(cpuSeconds);
    return machineSeconds() - own.reduce((sum, seconds) => sum + seconds, familySeconds(postgres));
  }

  /** Processor seconds of all that take part, and statements of the dispatcher. */
  async #used() {
    const { dispatcher, accountInformation, postgres, broker, webhooksPool } = this.#parts;
    return {
      statements: await commitsOf(webhooksPool),
      dispatcher: cpuSeconds(dispatcher),
      'account-information': cpuSeconds(accountInformation),
      PostgreSQL: familySeconds(postgres),
      broker: cpuSeconds(broker),
    };
  }

  /** Runs the load; in words, what each delivery cost. */
  async #measured(deliveries: number, load: () => Promise<void>): Promise<string> {
    const { receivers } = this.#parts;
    await receivers.ask({ reset: true });
    const [before, started] = [await this.#used(), machineMs()];
    await load();
    const { last } = await until(
      async () => ((await receivers.count()) >= deliveries ? receivers.ask() : undefined),
      { what: `${deliveries} deliveries`, timeout: 900_000 },
    );
    const after = await this.#used();
    const { invalid } = await receivers.ask();
    if (invalid > 0) throw new Error(`${invalid} signatures are wrong`);
    const [[, statements], ...cpu] = (Object.keys(after) as (keyof typeof after)[]).map(
      (name) => [name, after[name] - before[name]] as const,
    ) as [readonly [string, number], ...(readonly [string, number])[]];
    const sum = cpu.reduce((total, [, seconds]) => total + seconds, 0);
    const perSecond = deliveries / ((last - started) / 1_000);
    return `${(deliveries / sum).toFixed(0)} deliveries per CPU-s, ${perSecond.toFixed(0)}/s, ${(statements / deliveries).toFixed(3)} statements each; µs each: ${cpu.map(([name, seconds]) => `${name} ${micros(seconds, deliveries)}`).join(', ')}`;
  }

  #flood(events: number): Promise<void> {
    const { everybodys } = this.#parts;
    return inParallel(events, CALLERS, async (index) => {
      await this.#post(everybodys[index % everybodys.length]!, randomUUID());
    });
  }

  #post(accountId: string, transactionId: string): Promise<void> {
    const request = PostRequest.fromPartial({
      transactionId,
      accountId,
      amount: { value: '1.00', currency: 'DKK' },
      title: 'Bench',
      type: 'domesticCreditTransfer',
      recipientBban: '12345678901234',
    });
    return new Promise((resolve, reject) => {
      this.#parts.ledger.post(request, (error) => (error ? reject(error) : resolve()));
    });
  }
}

/** The process of the database server, whose child a connection is. */
async function serverOf(url: string): Promise<number> {
  const pool = openPool({ url, applicationName: 'bench', max: 1 });
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  // It ends with its connection.
  const server = parentOf(rows[0]!.pid);
  await pool.end();
  return server;
}

/** Transactions of the database so far; a statement by itself is one. They are counted with a delay of a second. */
async function commitsOf(pool: ReturnType<typeof openPool>): Promise<number> {
  await pause(1_500);
  const { rows } = await pool.query<{ commits: number }>(
    'SELECT xact_commit::int AS commits FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]!.commits;
}

/** Runs `task` for 0 … total-1, so many at a time. */
async function inParallel(
  total: number,
  width: number,
  task: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < total) await task(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
