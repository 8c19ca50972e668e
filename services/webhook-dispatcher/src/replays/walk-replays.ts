import type { ClientDirectory } from '@kontoport/client-directory';
import { inTransaction, type Tx } from '@kontoport/database';
import { type Logger, Loop } from '@kontoport/lifecycle';
import type { QueueToClaim } from '../deliveries/delivery.model.ts';
import { receivableTypes } from '../event-types/webhook-event.model.ts';
import type { Db } from '../gen/db.ts';
import {
  afterSettling,
  afterWalk,
  type ClaimedReplay,
  mayNotBeReplicated,
  onHold,
  stillOpen,
} from './replay-step.model.ts';
import {
  claimReplay,
  dropReplay,
  findRecordingTransactions,
  redeliver,
  saveProgress,
  walkEvents,
} from './replay-step.repository.ts';

/** Another process may have begun a replay, or died during a step. */
const LOOK_MS = 1_000;
/** While replays run. */
const PAUSE_MS = 20;
/** After a step, replays may wait for room this long. */
const BUSY_MS = 3_000;
/** Part of the time that steps may take: new events have priority at the database. */
const PART = 1 / 4;
const RETRY_MS = { first: 250, longest: 10_000 };

interface WalkDeps {
  db: { delivery: Db };
  directory: Pick<ClientDirectory, 'find'>;
  dispatcher: { wake(queues: readonly QueueToClaim[]): void };
  logger: Logger;
}

/**
 * Runs replays step by step (§4.6). A step is one transaction: if its process dies, another one repeats it.
 */
export function walkReplays(deps: WalkDeps): Loop {
  const { db, dispatcher, logger } = deps;
  let busyUntil = Number.NEGATIVE_INFINITY;
  return new Loop({
    name: 'replays',
    everyMs: LOOK_MS,
    retryMs: RETRY_MS,
    async work() {
      const started = performance.now();
      const stepped = await inTransaction(db.delivery, (tx) => step(tx, deps));
      const ended = performance.now();
      if (stepped === undefined) return ended < busyUntil ? PAUSE_MS : LOOK_MS;
      busyUntil = ended + BUSY_MS;
      const { replay, deliveries, isEnd } = stepped;
      const { id: replayId, subscriptionId, clientId } = replay;
      if (deliveries > 0) dispatcher.wake([{ subscriptionId, clientId }]);
      if (isEnd) logger.info({ replayId, subscriptionId }, 'replay completed');
      return Math.max(PAUSE_MS, (ended - started) * (1 / PART - 1));
    },
    logger,
  });
}

interface Stepped {
  replay: ClaimedReplay;
  deliveries: number;
  isEnd: boolean;
}

/** @returns nothing when no step is due */
async function step(tx: Tx, { directory }: WalkDeps): Promise<Stepped | undefined> {
  const replay = await claimReplay(tx);
  if (replay === undefined) return undefined;
  const none = { replay, deliveries: 0, isEnd: false };
  const { phase, subscriptionStatus } = replay;
  if (subscriptionStatus === 'DELETED') {
    await dropReplay(tx, replay);
    return none;
  }
  if (subscriptionStatus === 'PAUSED') {
    await saveProgress(tx, replay, onHold(replay));
    return none;
  }
  if (phase === 'SETTLING') {
    const waitsFor = stillOpen(replay, await findRecordingTransactions(tx));
    await saveProgress(tx, replay, { ...afterSettling(waitsFor), waitsFor });
    return none;
  }
  const client = directory.find(replay.clientId);
  if (client === undefined && mayNotBeReplicated(replay, new Date())) {
    await saveProgress(tx, replay, onHold(replay));
    return none;
  }
  const known: readonly string[] = client === undefined ? [] : receivableTypes(client);
  const types = replay.eventTypes.filter((type) => known.includes(type));
  if (types.length === 0) {
    await saveProgress(tx, replay, { phase, reached: replay.reached, isEnd: true, waitMs: 0 });
    return { ...none, isEnd: true };
  }
  const walked = await walkEvents(tx, { ...replay, phase }, types);
  const deliveries = await redeliver(tx, replay.subscriptionId, walked.matched);
  const progress = afterWalk(replay, walked);
  await saveProgress(tx, replay, { ...progress, events: walked.matched.length, deliveries });
  return { replay, deliveries, isEnd: progress.isEnd };
}
