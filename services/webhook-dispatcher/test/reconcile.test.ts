import { randomUUID } from 'node:crypto';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { topics } from '@kontoport/events';
import { startInProcess } from '@kontoport/service';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { type Metrics, readMetrics } from '@kontoport/testing/metrics';
import { type ServiceProcess, startServiceProcess } from '@kontoport/testing/service-process';
import { findOffsetGaps, recordOffsets } from '../src/intake/intake.repository.ts';
import { webhookDispatcher } from '../src/service.ts';
import { passOver, reportedBy, takenOf } from './offset-gap.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import {
  type Parts,
  postingFor,
  publish,
  publishRevoked,
  revokedConsentOf,
  startParts,
  webhookClient,
} from './running.ts';
import { arrived } from './scene.ts';

const { postings, consents } = topics;
let parts: Parts;
let tpp: TestTpp;
let receiver: Receiver;
const processes: ServiceProcess[] = [];

beforeEach(async () => {
  parts = await startParts();
  [tpp, receiver] = [await parts.peers.addTpp(), await startReceiver()];
});

afterEach(async () => {
  await Promise.all(processes.splice(0).map((process) => process.kill('SIGKILL')));
  await receiver.close();
  await parts.close();
});

/** A replica, and how it is reached. */
async function replica(
  env: Record<string, string> = {},
): Promise<{ process: ServiceProcess; origin: string }> {
  const [HTTP_PORT, OPS_PORT] = [String(await freePort()), String(await freePort())];
  const process = startServiceProcess({
    service: 'webhook-dispatcher',
    env: { ...parts.env, HTTP_PORT, OPS_PORT, LOG_LEVEL: 'info', ...env },
  });
  processes.push(process);
  await process.ready();
  return { process, origin: `http://127.0.0.1:${HTTP_PORT}` };
}

const reported = () => reportedBy(processes);

describe('records that were passed over are reported (ADR-0032)', () => {
  it('once, by one of two replicas, if they were committed but not processed', async () => {
    const accountId = randomUUID();
    const posting = () => postingFor([tpp], { accountId });
    const first = await replica();
    await webhookClient(() => first.origin, tpp).subscribe(receiver.url);
    await publish(parts.producer, [posting()]);
    await arrived(receiver);
    await first.process.kill();
    await publish(parts.producer, [posting(), posting(), posting()]);
    await passOver(parts, 3);
    await Promise.all([replica(), replica()]);
    const gap = { topic: postings.name, from: '1', to: '4', gapStatus: 'available' };
    await until(() => reported().length > 0, { what: 'the gap to be told' });
    expect(reported()).toEqual([gap]);

    // It is still a gap after the partition has gone on, and other replicas check it.
    await publish(parts.producer, [posting()]);
    await arrived(receiver, 2);
    expect(await takenOf(parts, postings.name)).toEqual(['{[0,1),[4,5)}']);
    await Promise.all(processes.map((process) => process.kill()));
    const [one, other] = [revokedConsentOf(tpp), revokedConsentOf(tpp)];
    const before = await replica();
    await publishRevoked(parts.producer, one);
    await until(async () => (await takenOf(parts, consents.name)).includes('{[0,1)}'), {
      what: 'a consent to be taken',
    });
    await before.process.kill();
    await publishRevoked(parts.producer, other);
    await passOver(parts, 1);
    await Promise.all([replica(), replica()]);
    const second = { topic: consents.name, from: '1', to: '2', gapStatus: 'available' };
    await until(() => reported().length > 1, { what: 'the second gap to be told' });
    expect(reported()).toEqual([gap, second]);
  });

  it('but not after a restart, a rebalance, a kill, or records without deliveries', async () => {
    const accountId = randomUUID();
    const old = new Date(Date.now() - 40 * 24 * 60 * 60_000).toISOString();
    const poison = { topic: postings.name, key: accountId, value: 'not { JSON', headers: {} };
    const all = async (): Promise<number> => {
      await parts.producer.send([poison]);
      await publish(parts.producer, [
        postingFor([], { accountId }),
        postingFor([tpp], { accountId, eventTime: old }),
        ...Array.from({ length: 20 }, () => postingFor([tpp])),
      ]);
      return 23;
    };
    const first = await replica();
    await webhookClient(() => first.origin, tpp).subscribe(receiver.url);
    let published = 0;
    const allTaken = (): Promise<true> =>
      until(
        async () => {
          const ranges = (await takenOf(parts, postings.name)).map(
            (taken) => /^\{\[0,(\d+)\)\}$/.exec(taken)?.[1],
          );
          return ranges.reduce((sum, to) => sum + Number(to), 0) === published;
        },
        { what: 'every record to be recorded as taken, without a hole' },
      );
    // A record without deliveries may be the only one.
    for (const alone of [poison, undefined]) {
      if (alone === undefined) await publish(parts.producer, [postingFor([], { accountId })]);
      else await parts.producer.send([alone]);
      published += 1;
      await allTaken();
    }
    published += await all();
    await replica();
    published += await all();
    await first.process.kill('SIGKILL');
    published += await all();
    await allTaken();
    await Promise.all(processes.map((process) => process.kill()));
    published += await all();
    await replica();
    await allTaken();
    await Promise.all(processes.map((process) => process.kill()));

    // The report of this gap shows that everything has been checked.
    await publish(parts.producer, [postingFor([tpp], { accountId })]);
    await passOver(parts, 1);
    await replica();
    await until(() => reported().length > 0, { what: 'what was really passed over' });
    expect(reported()).toHaveLength(1);
    expect(reported()).toMatchObject([{ topic: postings.name, gapStatus: 'available' }]);
  });

  it('but not those committed before the first recorded offset', async () => {
    const posting = postingFor([tpp]);
    await publish(parts.producer, [posting]);
    await passOver(parts, 1);
    const { process } = await replica();
    await until(
      () =>
        process.log.some(({ msg }) => msg === 'committed offsets of new partitions recorded as processed'),
      {
        what: 'the look at what was committed',
      },
    );
    expect(await takenOf(parts, postings.name)).toEqual(['{[0,1)}']);
    await process.kill();
    await publish(parts.producer, [posting]);
    await passOver(parts, 1);
    await replica();
    await until(() => reported().length > 0, { what: 'what came later' });
    expect(reported()).toEqual([{ topic: postings.name, from: '1', to: '2', gapStatus: 'available' }]);
  });

  it('with metrics of the gap and of the longest unclaimed delivery', async () => {
    const posting = () => postingFor([], { accountId: tpp.clientId });
    const within = async (work: (read: () => Promise<Metrics>) => Promise<unknown>): Promise<void> => {
      const { opsPort, close } = await startInProcess(webhookDispatcher, { ...parts.env, OPS_PORT: '0' });
      try {
        await work(() => readMetrics(opsPort));
      } finally {
        await close();
      }
    };
    const gapSizes = (metrics: Metrics) =>
      metrics.families
        .get('kontoport_consumer_offset_gap_records')!
        .series.map(({ labels, value }) => [labels.kontoport_gap_status, value]);
    await publish(parts.producer, [posting()]);
    await within(async (read) => {
      await until(async () => (await takenOf(parts, postings.name)).length > 0, {
        what: 'the first to be taken',
      });
      const metrics = await until(
        async () => {
          const now = await read();
          const { series } = now.families.get('kontoport_webhook_oldest_due_seconds')!;
          return gapSizes(now).length > 0 && series.length > 0 && now;
        },
        { what: 'a look and a walk' },
      );
      expect(gapSizes(metrics)).toEqual([
        ['available', 0],
        ['expired', 0],
      ]);
      expect(metrics.sum('kontoport_webhook_oldest_due_seconds')).toBe(0);
    });
    await publish(parts.producer, [posting(), posting(), posting()]);
    await passOver(parts, 3);
    // The gap is logged once, and the metric reports it as long as it lasts.
    for (const _replica of ['one', 'another'])
      await within(async (read) => {
        const metrics = await until(
          async () => {
            const now = await read();
            return now.sum('kontoport_consumer_offset_gap_records') > 0 && now;
          },
          { what: 'what is missing' },
        );
        expect(gapSizes(metrics)).toEqual([
          ['available', 3],
          ['expired', 0],
        ]);
      });
  });
});

describe('the gaps of a partition (ADR-0032)', () => {
  const at = (from: bigint, to: bigint, partition = 0) => ({ topic: 't', partition, from, to });
  const committed = (offset: bigint, partition = 0) => ({ topic: 't', partition, committed: offset });

  it('lie between processed offsets, and up to the committed one; none before the first', async () => {
    const { pool } = parts;
    await recordOffsets(pool, [at(5n, 10n), at(0n, 3n, 1)]);
    expect(await findOffsetGaps(pool, [committed(10n), committed(3n, 1), committed(7n, 2)])).toEqual([]);
    await recordOffsets(pool, [at(12n, 20n)]);
    expect(await findOffsetGaps(pool, [committed(0n), committed(4n, 1)])).toEqual([
      { ...at(10n, 12n), isReported: false },
      { ...at(3n, 4n, 1), isReported: false },
    ]);
    expect(await findOffsetGaps(pool, [committed(20n)])).toEqual([{ ...at(10n, 12n), isReported: false }]);
    expect(await findOffsetGaps(pool, [committed(21n)])).toEqual([
      { ...at(10n, 12n), isReported: false },
      { ...at(20n, 21n), isReported: false },
    ]);
  });
});

describe('unclaimed due deliveries (ADR-0032)', () => {
  it('are logged when they last, and when they are over', async () => {
    const { process, origin } = await replica({ WEBHOOK_UNCLAIMED_LIMIT: '1s' });
    const { internalId } = await webhookClient(() => origin, tpp).subscribe(receiver.url);
    const said = (msg: string) => process.log.filter((line) => line.msg === msg);
    const holder = await parts.pool.connect();
    // A claim skips rows that another process has locked.
    await holder.query('BEGIN');
    await holder.query('SELECT FROM subscription WHERE internal_id = $1 FOR UPDATE', [internalId]);
    await publish(parts.producer, [postingFor([tpp])]);
    await until(() => said('due deliveries are unclaimed').length > 0, {
      what: 'what is unclaimed to be said',
    });
    expect(said('due deliveries are unclaimed')[0]).toMatchObject({
      level: 'error',
      limitMs: 1_000,
    });
    expect(receiver.received).toHaveLength(0);
    await holder.query('ROLLBACK');
    holder.release();
    await arrived(receiver);
    await until(() => said('due deliveries are claimed in time again').length > 0, { what: 'the end of it' });
    expect(said('due deliveries are unclaimed')).toHaveLength(1);
    expect(said('due deliveries are claimed in time again')).toHaveLength(1);
  });
});
