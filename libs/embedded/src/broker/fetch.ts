import { once } from 'node:events';
import type { Reader, Writer } from './bytes.ts';
import { ERROR } from './error-codes.ts';
import type { PartitionLog } from './partition-log.ts';
import type { BrokerState } from './state.ts';

interface Wanted {
  topic: string;
  partition: number;
  offset: number;
  maxBytes: number;
}

interface Found extends Wanted {
  error: number;
  log: PartitionLog | undefined;
  records: Buffer;
}

const LONGEST_WAIT_MS = 30_000;
const MAX_BYTES = 16 * 1024 * 1024;
const FULL_FETCH = [0, -1];

/**
 * Answers Fetch, version 11, as soon as there are enough bytes, at the latest after the wait of the consumer. There are
 * no incremental sessions: each request names all partitions.
 */
export async function fetchRecords(
  request: Reader,
  answer: Writer,
  { state, signal }: { state: BrokerState; signal: AbortSignal },
): Promise<void> {
  request.int32(); // replica
  const maxWaitMs = Math.min(request.int32(), LONGEST_WAIT_MS);
  const minBytes = request.int32();
  const maxBytes = Math.min(request.int32(), MAX_BYTES);
  request.int8(); // isolation level: there are no transactions
  const sessionId = request.int32();
  const sessionEpoch = request.int32();
  const wanted = request
    .array(() => {
      const topic = request.string();
      return request.array((): Wanted => {
        const partition = request.int32();
        request.int32(); // leader epoch
        const offset = request.int64();
        request.int64(); // the consumer's log start
        return { topic, partition, offset, maxBytes: request.int32() };
      });
    })
    .flat();
  const error =
    sessionId !== 0 || !FULL_FETCH.includes(sessionEpoch) ? ERROR.fetchSessionIdNotFound : ERROR.none;
  const found =
    error === ERROR.none ? await gather(state, wanted, { maxWaitMs, minBytes, maxBytes, signal }) : [];
  answer.int32(0).int16(error).int32(0);
  answer.array([...Map.groupBy(found, ({ topic }) => topic)], ([topic, partitions]) => {
    answer.string(topic).array(partitions, (entry) => {
      const end = entry.log?.endOffset ?? -1;
      answer
        .int32(entry.partition)
        .int16(entry.error)
        .int64(end)
        .int64(end)
        .int64(entry.log === undefined ? -1 : 0)
        .array(null, () => {})
        .int32(-1)
        .bytes(entry.records);
    });
  });
}

async function gather(
  state: BrokerState,
  wanted: readonly Wanted[],
  bounds: { maxWaitMs: number; minBytes: number; maxBytes: number; signal: AbortSignal },
): Promise<Found[]> {
  const until = performance.now() + bounds.maxWaitMs;
  for (;;) {
    const found = readAll(state, wanted, bounds.maxBytes);
    const bytes = found.reduce((sum, { records }) => sum + records.length, 0);
    const left = until - performance.now();
    const enough = bytes >= bounds.minBytes || found.some(({ error }) => error !== ERROR.none);
    if (enough || left <= 0 || bounds.signal.aborted) return found;
    await appended(
      found.flatMap(({ log }) => log ?? []),
      AbortSignal.any([bounds.signal, AbortSignal.timeout(Math.ceil(left))]),
    );
  }
}

function readAll(state: BrokerState, wanted: readonly Wanted[], maxBytes: number): Found[] {
  let left = maxBytes;
  return wanted.map((entry) => {
    const log = state.log(entry.topic, entry.partition);
    const nothing = { ...entry, log, records: Buffer.alloc(0) };
    if (log === undefined) return { ...nothing, error: ERROR.unknownTopicOrPartition };
    if (left <= 0) return { ...nothing, error: ERROR.none };
    const records = log.read(entry.offset, Math.min(entry.maxBytes, left));
    if (records === undefined) return { ...nothing, error: ERROR.offsetOutOfRange };
    left -= records.length;
    return { ...entry, log, records, error: ERROR.none };
  });
}

/** Resolves with the next append to one of the logs, or when the signal is aborted. */
async function appended(logs: readonly PartitionLog[], signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stops = logs.map((log) => log.onAppend(resolve));
  if (!signal.aborted) await Promise.race([promise, once(signal, 'abort')]);
  for (const stop of stops) stop();
}
