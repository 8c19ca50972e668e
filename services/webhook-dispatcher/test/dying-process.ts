// The dispatcher as a process of its own that dies at a given point: the worker of kill-matrix.test.ts.
import { subscribe } from 'node:diagnostics_channel';
import { until } from '@kontoport/embedded/wait';
import type { Kafka, OffsetRange } from '@kontoport/events';
import { defineService, runService } from '@kontoport/service';
import type pg from 'pg';
import { adapters } from '../src/adapters.ts';
import { app } from '../src/app.ts';
import { config } from '../src/config.ts';
import { type Deps, openDeps } from '../src/deps.ts';
import { type DeathPoint, MEMBER_MS } from './death-points.ts';

const [diesAt] = process.argv.slice(2) as [DeathPoint?];
/** The number of times that a point is passed before it is fatal, so that work is in flight everywhere. */
const PASSES: Partial<Record<DeathPoint, number>> = { 'POST sent': 50, 'response read': 50 };
let passes = diesAt === undefined ? Infinity : (PASSES[diesAt] ?? 0);

function dieAt(point: DeathPoint): void {
  if (point === diesAt && passes-- === 0) process.kill(process.pid, 'SIGKILL');
}

function dyingKafka(kafka: Kafka): Kafka {
  let isAsking = false;
  /** Offsets are committed in the background: the group's committed offset shows when. */
  const dieOnceCommitted = async ({ topic, partition, to }: OffsetRange): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    await until(
      async () => {
        const offsets = await kafka.offsetsOf({ groupId: 'webhook-dispatcher', topics: [topic] });
        return offsets.some((place) => place.partition === partition && (place.committed ?? 0n) >= to);
      },
      { what: 'the offsets of a turn', timeout: 240_000 },
    );
    dieAt('after commit');
  };

  return {
    ...kafka,
    joinGroup: (membership) =>
      kafka.joinGroup({
        ...membership,
        // The partitions of the dead are given to others sooner.
        sessionTimeoutMs: MEMBER_MS,
        async take(batches, mayGoOn) {
          dieAt('after poll');
          const isStored = await membership.take(batches, mayGoOn);
          if (isStored && diesAt === 'after commit') void dieOnceCommitted(batches[0]!.range);
          return isStored;
        },
      }),
  };
}

const AFTER: Readonly<Record<string, DeathPoint>> = {
  'record-events': 'after insert',
  'claim-queues': 'after claim',
};

function dyingDeps(deps: Deps): Deps {
  const { delivery } = deps.db;
  const query = delivery.query.bind(delivery) as (statement: pg.QueryConfig) => Promise<pg.QueryResult>;
  // The dispatcher has this very object in its hands.
  Object.assign(delivery, {
    async query(...statement: Parameters<typeof query>) {
      const result = await query(...statement);
      const point = AFTER[statement[0].name ?? ''];
      if (point !== undefined && result.rowCount! > 0) dieAt(point);
      return result;
    },
  });
  return { ...deps, kafka: dyingKafka(deps.kafka) };
}

const STAGES: Readonly<Record<string, DeathPoint>> = {
  'undici:request:bodySent': 'POST sent',
  'undici:request:trailers': 'response read',
};
for (const [name, point] of Object.entries(STAGES))
  subscribe(name, (message) => {
    const { path } = (message as { request: { path: string } }).request;
    if (path.startsWith('/hook')) dieAt(point);
  });

await runService(
  defineService({
    name: 'webhook-dispatcher',
    config,
    adapters,
    open: (context) => dyingDeps(openDeps(context)),
    app,
  }),
  { closeMs: 18_000 },
);
