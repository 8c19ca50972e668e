import type { Reader, Writer } from './bytes.ts';
import { ERROR } from './error-codes.ts';
import type { BrokerState } from './state.ts';

/** The cluster of one broker. */
export interface Cluster {
  state: BrokerState;
  host: string;
  port: number;
}

const NODE_ID = 0;
const DEFAULT_PARTITIONS = 12;

const CREATED = {
  created: { error: ERROR.none, message: null },
  exists: { error: ERROR.topicAlreadyExists, message: 'the topic exists' },
  'bad-name': { error: ERROR.invalidTopic, message: 'a topic cannot have this name' },
  'bad-count': { error: ERROR.invalidPartitions, message: 'a topic has 1 to 1,000 partitions' },
} as const;

/** Answers Metadata, versions 5 and 6. It creates no topics. */
export function metadata(request: Reader, answer: Writer, { state, host, port }: Cluster): void {
  const asked = request.nullableArray(() => request.string()) ?? state.topicNames;
  answer
    .int32(0)
    .array([NODE_ID], (node) => {
      answer.int32(node).string(host).int32(port).string(null);
    })
    .string('kontoport')
    .int32(NODE_ID)
    .array(asked, (topic) => {
      const logs = state.partitions(topic);
      answer
        .int16(logs === undefined ? ERROR.unknownTopicOrPartition : ERROR.none)
        .string(topic)
        .boolean(false)
        .array([...(logs ?? []).keys()], (partition) => {
          const replicas = [NODE_ID];
          answer.int16(ERROR.none).int32(partition).int32(NODE_ID);
          for (const nodes of [replicas, replicas, []])
            answer.array(nodes, (node) => void answer.int32(node));
        });
    });
}

/** Answers FindCoordinator, versions 1 and 2. */
export function findCoordinator(_request: Reader, answer: Writer, { host, port }: Cluster): void {
  answer.int32(0).int16(ERROR.none).string(null).int32(NODE_ID).string(host).int32(port);
}

/** Answers CreateTopics, versions 2 and 3. */
export function createTopics(request: Reader, answer: Writer, { state }: Cluster): void {
  const topics = request.array(() => {
    const name = request.string();
    const partitions = request.int32();
    request.int16(); // replicas: there is one broker
    const assigned = request.array(() => [request.int32(), request.array(() => request.int32())]).length;
    request.array(() => [request.string(), request.nullableString()]);
    return { name, partitions: assigned || (partitions === -1 ? DEFAULT_PARTITIONS : partitions) };
  });
  request.int32(); // time limit
  const onlyAsked = request.boolean();
  answer.int32(0).array(topics, ({ name, partitions }) => {
    const exists = state.partitions(name) === undefined ? 'created' : 'exists';
    const { error, message } = CREATED[onlyAsked ? exists : state.createTopic(name, partitions)];
    answer.string(name).int16(error).string(message);
  });
}
