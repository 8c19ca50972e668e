import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';

/**
 * Deals the partitions of each topic in turn to those members that subscribed it. kafkajs' own round robin, whose name
 * it keeps because all members of a group must know it, deals the topics of the leader to everybody: a member of an
 * older release, which does not know a new topic, drops those partitions, and nobody reads them.
 */
export const assignBySubscription: PartitionAssigner = ({ cluster }) => ({
  name: 'RoundRobinAssigner',
  version: 0,

  async assign({ members, topics }) {
    const shares = members
      .map(({ memberId, memberMetadata }) => ({
        memberId,
        subscribed: new Set(AssignerProtocol.MemberMetadata.decode(memberMetadata)?.topics ?? topics),
        assignment: {} as Record<string, number[]>,
      }))
      .toSorted((one, other) => (one.memberId < other.memberId ? -1 : 1));
    // The turn goes on from topic to topic, so that topics of few partitions do not all fall to the first member.
    let turn = 0;
    for (const topic of topics.toSorted()) {
      const readers = shares.filter(({ subscribed }) => subscribed.has(topic));
      if (readers.length === 0) continue;
      for (const { partitionId } of cluster.findTopicPartitionMetadata(topic))
        (readers[turn++ % readers.length]!.assignment[topic] ??= []).push(partitionId);
    }
    return shares.map(({ memberId, assignment }) => ({
      memberId,
      memberAssignment: AssignerProtocol.MemberAssignment.encode({
        version: this.version,
        assignment,
        userData: Buffer.alloc(0),
      }),
    }));
  },

  protocol({ topics }) {
    return {
      name: this.name,
      metadata: AssignerProtocol.MemberMetadata.encode({
        version: this.version,
        topics,
        userData: Buffer.alloc(0),
      }),
    };
  },
});
