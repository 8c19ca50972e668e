import type { Reader, Writer } from './bytes.ts';
import { ERROR } from './error-codes.ts';
import type { Group, GroupProtocol, JoinAnswer } from './group.ts';
import type { BrokerState } from './state.ts';

interface Context {
  state: BrokerState;
  clientId: string;
}

const TOO_MANY: JoinAnswer = {
  error: ERROR.groupMaxSizeReached,
  generation: -1,
  protocol: '',
  leader: '',
  memberId: '',
  members: [],
};
const SESSION_MS = { least: 500, most: 30 * 60_000 };

/** Answers JoinGroup, version 5. */
export async function joinGroup(
  request: Reader,
  answer: Writer,
  { state, clientId }: Context,
): Promise<void> {
  const groupId = request.string();
  const sessionTimeoutMs = bounded(request.int32());
  const rebalanceTimeoutMs = bounded(request.int32());
  const memberId = request.string();
  request.nullableString(); // static membership: every member is dynamic here
  const protocolType = request.string();
  const protocols = request.array(
    // Copied: the metadata outlives the request.
    (): GroupProtocol => ({ name: request.string(), metadata: Buffer.from(request.bytes()) }),
  );
  const joined =
    (await state
      .group(groupId)
      ?.join({ memberId, clientId, sessionTimeoutMs, rebalanceTimeoutMs, protocolType, protocols })) ??
    TOO_MANY;
  answer
    .int32(0)
    .int16(joined.error)
    .int32(joined.generation)
    .string(joined.protocol)
    .string(joined.leader)
    .string(joined.memberId)
    .array(joined.members, (member) => {
      answer.string(member.memberId).string(null).bytes(member.metadata);
    });
}

/** Answers SyncGroup, version 3. */
export async function syncGroup(request: Reader, answer: Writer, context: Context): Promise<void> {
  const { group, memberId, generation } = membership(request, context);
  const assignments = request.array(() => ({ memberId: request.string(), assignment: request.bytes() }));
  const synced = await group?.sync(memberId, generation, assignments);
  answer
    .int32(0)
    .int16(synced?.error ?? ERROR.unknownMemberId)
    .bytes(synced?.assignment ?? Buffer.alloc(0));
}

/** Answers Heartbeat, version 3. */
export function heartbeat(request: Reader, answer: Writer, context: Context): void {
  const { group, memberId, generation } = membership(request, context);
  answer.int32(0).int16(group?.heartbeat(memberId, generation) ?? ERROR.unknownMemberId);
}

/** Answers LeaveGroup, version 3. */
export function leaveGroup(request: Reader, answer: Writer, { state }: Context): void {
  const group = state.group(request.string());
  const leaving = request.array(() => ({ memberId: request.string(), instance: request.nullableString() }));
  answer
    .int32(0)
    .int16(ERROR.none)
    .array(leaving, ({ memberId, instance }) => {
      answer
        .string(memberId)
        .string(instance)
        .int16(group?.leave(memberId) ?? ERROR.unknownMemberId);
    });
}

/** Answers OffsetCommit, version 5. */
export function commitOffsets(request: Reader, answer: Writer, { state }: Context): void {
  const groupId = request.string();
  const generation = request.int32();
  const memberId = request.string();
  const error = state.group(groupId)?.mayCommit(memberId, generation) ?? ERROR.unknownMemberId;
  const topics = request.array(() => ({
    topic: request.string(),
    partitions: request.array(() => ({
      partition: request.int32(),
      offset: request.int64(),
      metadata: request.nullableString(),
    })),
  }));
  answer.int32(0).array(topics, ({ topic, partitions }) => {
    answer.string(topic).array(partitions, ({ partition, offset, metadata }) => {
      const known = state.log(topic, partition) !== undefined;
      if (known && error === ERROR.none) state.offsets.set(groupId, topic, partition, { offset, metadata });
      answer.int32(partition).int16(known ? error : ERROR.unknownTopicOrPartition);
    });
  });
}

/** Answers OffsetFetch, versions 3 and 4. */
export function fetchOffsets(request: Reader, answer: Writer, { state }: Context): void {
  const groupId = request.string();
  const asked = request.nullableArray(() => ({
    topic: request.string(),
    partitions: request.array(() => request.int32()),
  }));
  const topics =
    asked ?? [...state.offsets.of(groupId)].map(([topic, partitions]) => ({ topic, partitions }));
  answer
    .int32(0)
    .array(topics, ({ topic, partitions }) => {
      answer.string(topic).array(partitions, (partition) => {
        const committed = state.offsets.get(groupId, topic, partition);
        answer
          .int32(partition)
          .int64(committed?.offset ?? -1)
          .string(committed?.metadata ?? '')
          .int16(ERROR.none);
      });
    })
    .int16(ERROR.none);
}

function membership(
  request: Reader,
  { state }: Context,
): { group: Group | undefined; memberId: string; generation: number } {
  const group = state.group(request.string());
  const generation = request.int32();
  const memberId = request.string();
  request.nullableString(); // static membership
  return { group, memberId, generation };
}

function bounded(timeoutMs: number): number {
  return Math.min(Math.max(timeoutMs, SESSION_MS.least), SESSION_MS.most);
}
