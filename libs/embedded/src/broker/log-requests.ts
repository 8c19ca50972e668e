import type { Reader, Writer } from './bytes.ts';
import { ERROR } from './error-codes.ts';
import type { Appended } from './partition-log.ts';
import type { BrokerState } from './state.ts';

const REFUSED = {
  corrupt: ERROR.corruptMessage,
  'too-large': ERROR.messageTooLarge,
  'out-of-order': ERROR.outOfOrderSequence,
  fenced: ERROR.invalidProducerEpoch,
} as const;

/** Answers Produce, version 7. @returns whether the producer wants an answer */
export function produce(request: Reader, answer: Writer, { state }: { state: BrokerState }): boolean {
  const transactionalId = request.nullableString();
  const acks = request.int16();
  request.int32(); // time limit: everything is written at once
  const topics = request.array(() => ({
    topic: request.string(),
    partitions: request.array(() => ({ partition: request.int32(), records: request.bytes() })),
  }));
  answer
    .array(topics, ({ topic, partitions }) => {
      answer.string(topic).array(partitions, ({ partition, records }) => {
        const log = state.log(topic, partition);
        const appended = transactionalId === null && log ? append(() => log.append(records)) : undefined;
        const unwritten = transactionalId === null ? ERROR.unknownTopicOrPartition : ERROR.invalidRequest;
        const { error, baseOffset } = appended ?? { error: unwritten, baseOffset: -1 };
        answer
          .int32(partition)
          .int16(error)
          .int64(baseOffset)
          .int64(-1)
          .int64(log === undefined ? -1 : 0);
      });
    })
    .int32(0);
  return acks !== 0;
}

/** Reports a full disk, so that the producer retries. */
function append(work: () => Appended): { error: number; baseOffset: number } {
  try {
    const appended = work();
    return 'refused' in appended
      ? { error: REFUSED[appended.refused], baseOffset: -1 }
      : { error: ERROR.none, baseOffset: appended.baseOffset };
  } catch {
    return { error: ERROR.storageError, baseOffset: -1 };
  }
}

const LATEST = -1;
const EARLIEST = -2;

/** ListOffsets, versions 2 and 3: the first offset and the last one, no offset by time. */
export function listOffsets(request: Reader, answer: Writer, { state }: { state: BrokerState }): void {
  request.int32(); // replica
  request.int8(); // isolation level
  const topics = request.array(() => ({
    topic: request.string(),
    partitions: request.array(() => ({ partition: request.int32(), timestamp: request.int64() })),
  }));
  answer.int32(0).array(topics, ({ topic, partitions }) => {
    answer.string(topic).array(partitions, ({ partition, timestamp }) => {
      const log = state.log(topic, partition);
      const offset = { [LATEST]: log?.endOffset, [EARLIEST]: 0 }[timestamp];
      const error = offset === undefined ? ERROR.invalidRequest : ERROR.none;
      answer
        .int32(partition)
        .int16(log === undefined ? ERROR.unknownTopicOrPartition : error)
        .int64(-1)
        .int64((log && offset) ?? -1);
    });
  });
}

/** InitProducerId, versions 0 and 1. There are no transactions. */
export function initProducerId(request: Reader, answer: Writer, { state }: { state: BrokerState }): void {
  const transactional = request.nullableString() !== null;
  answer.int32(0);
  if (transactional) answer.int16(ERROR.transactionalIdAuthorizationFailed).int64(-1).int16(-1);
  else answer.int16(ERROR.none).int64(state.nextProducerId()).int16(0);
}
