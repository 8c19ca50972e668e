import { AssignerProtocol, type Cluster, type PartitionAssigner } from 'kafkajs';
import { assignBySubscription } from './assigner.ts';

const { MemberAssignment, MemberMetadata } = AssignerProtocol;

/** The partitions of each member, for topics with these numbers of partitions. */
async function assign(
  members: Record<string, readonly string[]>,
  partitions: Record<string, number>,
  by: PartitionAssigner = assignBySubscription,
) {
  const cluster = {
    findTopicPartitionMetadata: (topic: string) =>
      Array.from({ length: partitions[topic]! }, (_, partitionId) => ({ partitionId })),
  } as unknown as Cluster;
  const given = await by({ cluster, groupId: 'g', logger: undefined as never }).assign({
    topics: Object.keys(partitions),
    members: Object.entries(members).map(([memberId, topics]) => ({
      memberId,
      memberMetadata: MemberMetadata.encode({ version: 0, topics: [...topics], userData: Buffer.alloc(0) }),
    })),
  });
  return Object.fromEntries(
    given.map(({ memberId, memberAssignment }) => [
      memberId,
      MemberAssignment.decode(memberAssignment)?.assignment,
    ]),
  );
}

describe('the assignment of partitions in a group', () => {
  it('gives a topic only to members that read it, so that a release may bring a new one', async () => {
    expect(
      await assign({ old: ['postings'], new: ['postings', 'transfers'] }, { postings: 4, transfers: 2 }),
    ).toEqual({
      new: { postings: [0, 2], transfers: [0, 1] },
      old: { postings: [1, 3] },
    });
  });

  it('spreads topics of few partitions over the members', async () => {
    expect(await assign({ m1: ['a', 'b'], m2: ['a', 'b'] }, { a: 1, b: 1 })).toEqual({
      m1: { a: [0] },
      m2: { b: [0] },
    });
  });

  it('leaves a topic that nobody reads alone, and a member without a share in the group', async () => {
    expect(await assign({ m1: ['a'], m2: [] }, { a: 2, b: 1 })).toEqual({ m1: { a: [0, 1] }, m2: {} });
  });
});
