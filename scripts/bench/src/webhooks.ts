import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ownBrokerAvailable } from '@kontoport/embedded/apache-kafka';
import { openBank } from './bank.ts';
import { bareRate } from './bare.ts';
import { type Figure, median, type Options, percentile, ratios } from './harness.ts';
import { inParallel } from './load.ts';
import { machineMs } from './receivers.ts';
import { openScene, received, type Scene, startReceivers } from './webhook-scene.ts';

const CALLERS = 48;
/**
 * Postings a second, and milliseconds that half and 99 in a hundred may take, on a machine whose bare loop has
 * REFERENCE_BARE deliveries a processor second. A machine of half the speed gets half the rate and twice the time.
 */
const RATE = 300;
const LATENCY_MS = [
  [50, 12],
  [99, 100],
] as const;
const REFERENCE_BARE = 28_000;
/** The virtual machine of a new broker compiles for so long; a bank's has been up for weeks. */
const WARM_UP_SECONDS = 40;
/**
 * Deliveries a processor second of Svix 1.100 with its PostgreSQL and Redis, as a share of the bare loop's. Svix is not
 * part of this repository: it was measured once in turn with the whole stack, when the stack had 0.26 of the bare loop
 * and 3.2 times as many deliveries as Svix.
 */
const SVIX_OF_BARE = 0.26 / 3.2;

/**
 * Webhooks from Ledger.Post to receivers that verify them, with a PostgreSQL that writes with care: a fan-out of eight,
 * beside a loop that only signs, POSTs and writes a row of each; and postings at a fixed rate over Apache Kafka.
 */
export async function benchWebhooks(options: Options): Promise<Figure[]> {
  const { bare, figures } = await fanOutFigures(options);
  return [...figures, ...(await latencyFigures(options, median(bare) / REFERENCE_BARE))];
}

async function fanOutFigures({ rounds, deliveries }: Options) {
  const bare: number[] = [];
  const ours: number[] = [];
  const scene = await openScene('embedded');
  try {
    await fanOut(scene, deliveries / 4);
    for (let round = 0; round < Math.min(rounds, 3); round++) {
      bare.push(await bareLoop(deliveries));
      ours.push(await fanOut(scene, deliveries));
    }
  } finally {
    await scene.close();
  }
  const toBare = ratios(ours, bare);
  const figures: Figure[] = [
    { what: 'fan-out of 8, deliveries a CPU-second of all that take part', values: ours, decimals: 0 },
    { what: 'bare loop with a row of each, a CPU-second', values: bare, decimals: 0 },
    { what: 'ratio to the bare loop', values: toBare },
    {
      what: `ratio to Svix, which has ${SVIX_OF_BARE.toFixed(3)} of the bare loop`,
      values: toBare.map((ratio) => ratio / SVIX_OF_BARE),
      budget: { atLeast: 2.3 },
    },
  ];
  return { bare, figures };
}

/** Each posting goes to all eight receivers. @returns deliveries a processor second */
async function fanOut(scene: Scene, deliveries: number): Promise<number> {
  const { receivers, everybodys } = scene;
  await receivers.ask({ reset: true });
  const before = scene.used();
  await inParallel(deliveries / receivers.ports.length, CALLERS, (index) =>
    scene.post(everybodys[index % everybodys.length]!),
  );
  await received(receivers, deliveries);
  return deliveries / (scene.used() - before);
}

/** Runs `bare-webhooks.ts`. @returns deliveries a processor second of it and PostgreSQL */
async function bareLoop(deliveries: number): Promise<number> {
  const receivers = await startReceivers();
  const bank = await openBank();
  try {
    const url = await bank.emptyDatabase();
    await receivers.ask({ keys: receivers.ports.map(() => 'k'.repeat(32)) });
    const args = [receivers.ports.join()];
    const rate = await bareRate({ file: 'bare-webhooks.ts', args, url, units: deliveries });
    await received(receivers, deliveries);
    return rate;
  } finally {
    receivers.close();
    await bank.close();
  }
}

/** @param speed of this machine, as a share of the reference */
async function latencyFigures({ seconds }: Options, speed: number): Promise<Figure[]> {
  if (!ownBrokerAvailable()) throw new Error('no Apache Kafka: install Java 17 and Maven');
  const scene = await openScene('apache');
  try {
    const rate = Math.round(RATE * speed);
    await latencies(scene, { rate, seconds: WARM_UP_SECONDS });
    const milliseconds = await latencies(scene, { rate, seconds });
    return LATENCY_MS.map(([percent, limit]) => ({
      what: `${rate} postings a second over Apache Kafka, p${percent}`,
      values: [percentile(milliseconds, percent)],
      decimals: 1,
      unit: 'ms',
      budget: { atMost: Math.round(limit / speed) },
    }));
  } finally {
    await scene.close();
  }
}

/** Posts at the rate, each for one receiver. @returns milliseconds from each call to its webhook */
async function latencies(
  scene: Scene,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<number[]> {
  const { receivers, own } = scene;
  await receivers.ask({ reset: true });
  const began = new Map<string, number>();
  const answers: Promise<void>[] = [];
  const all = rate * seconds;
  const started = performance.now();
  while (answers.length < all) {
    const due = Math.min(((performance.now() - started) * rate) / 1_000, all);
    while (answers.length < due) {
      const id = randomUUID();
      began.set(id, machineMs());
      answers.push(scene.post(own[(answers.length * 5) % own.length]!, id));
    }
    await pause(1);
  }
  await Promise.all(answers);
  await received(receivers, all);
  const { times = [] } = await receivers.ask('times');
  return times.map(([id, at]) => at - began.get(id)!);
}
