import { jest } from '@jest/globals';
import { Group, type JoinAnswer, type JoinRequest } from '../src/broker/group.ts';

const NONE = 0;
const ILLEGAL_GENERATION = 22;
const INCONSISTENT = 23;
const UNKNOWN_MEMBER = 25;
const REBALANCING = 27;
const ID_REQUIRED = 79;

let group: Group;
beforeEach(() => {
  jest.useFakeTimers();
  group = new Group();
});
afterEach(() => {
  group.close();
  jest.useRealTimers();
});

const request = (memberId: string, options: Partial<JoinRequest> = {}): JoinRequest => ({
  memberId,
  clientId: 'c',
  sessionTimeoutMs: 1_000,
  rebalanceTimeoutMs: 3_000,
  protocolType: 'consumer',
  protocols: [{ name: 'round', metadata: Buffer.from('m') }],
  ...options,
});

const newId = async (options: Partial<JoinRequest> = {}): Promise<string> => {
  const { error, memberId } = await group.join(request('', options));
  expect(error).toBe(ID_REQUIRED);
  return memberId;
};
const assigned = (memberId: string) => ({ memberId, assignment: Buffer.from(`for ${memberId}`) });

/** Members that share the partitions. */
async function stable(count: number): Promise<{ ids: string[]; generation: number; leader: string }> {
  const ids = await Promise.all(Array.from({ length: count }, () => newId()));
  const joins = ids.map((id) => group.join(request(id)));
  jest.advanceTimersByTime(50);
  const [first] = await Promise.all(joins);
  const { generation, leader } = first!;
  await Promise.all(ids.map((id) => group.sync(id, generation, id === leader ? ids.map(assigned) : [])));
  return { ids, generation, leader };
}

describe('a consumer group', () => {
  it('forms one generation of members that join together, and the leader gets all of them', async () => {
    const ids = [await newId(), await newId()];
    const joins = ids.map((id) => group.join(request(id)));
    jest.advanceTimersByTime(50);
    const answers = await Promise.all(joins);
    const leader = answers[0]!.leader;
    expect(answers.map(({ generation }) => generation)).toEqual([1, 1]);
    for (const answer of answers)
      expect(answer.members.map(({ memberId }) => memberId)).toEqual(answer.memberId === leader ? ids : []);
  });

  it("gives each member the leader's assignment, and waits for it", async () => {
    const ids = [await newId(), await newId()];
    const joins = ids.map((id) => group.join(request(id)));
    jest.advanceTimersByTime(50);
    const [{ leader, generation }] = (await Promise.all(joins)) as [JoinAnswer, JoinAnswer];
    const other = ids.find((id) => id !== leader)!;
    const waiting = group.sync(other, generation, []);
    const led = await group.sync(leader, generation, ids.map(assigned));
    expect(led).toEqual({ error: NONE, assignment: Buffer.from(`for ${leader}`) });
    expect(await waiting).toEqual({ error: NONE, assignment: Buffer.from(`for ${other}`) });
  });

  it('rebalances when a member joins', async () => {
    const { ids, generation } = await stable(1);
    const late = await newId();
    const joining = group.join(request(late));
    expect(group.heartbeat(ids[0]!, generation)).toBe(REBALANCING);
    const again = group.join(request(ids[0]!));
    const [one, two] = await Promise.all([again, joining]);
    expect([one.generation, two.generation]).toEqual([generation + 1, generation + 1]);
    expect(one.members.length).toBe(2);
  });

  it('continues without a member that does not rejoin in time', async () => {
    const { ids, generation } = await stable(1);
    const late = await newId();
    const joining = group.join(request(late, { rebalanceTimeoutMs: 500 }));
    for (let i = 0; i < 3; i++) {
      jest.advanceTimersByTime(999);
      group.heartbeat(ids[0]!, generation);
    }
    jest.advanceTimersByTime(3);
    expect(await joining).toMatchObject({ error: NONE, leader: late });
    expect(group.heartbeat(ids[0]!, generation)).toBe(UNKNOWN_MEMBER);
  });

  it('removes a member after the silence of its session, and no sooner', async () => {
    const { ids, generation } = await stable(2);
    const [silent, alive] = ids as [string, string];
    jest.advanceTimersByTime(999);
    expect(group.heartbeat(alive, generation)).toBe(NONE);
    jest.advanceTimersByTime(1);
    expect(group.heartbeat(alive, generation)).toBe(REBALANCING);
    expect(group.heartbeat(silent, generation)).toBe(UNKNOWN_MEMBER);
  });

  it('rebalances when a member leaves', async () => {
    const { ids, generation } = await stable(2);
    expect(group.leave(ids[0]!)).toBe(NONE);
    expect(group.leave(ids[0]!)).toBe(UNKNOWN_MEMBER);
    expect(group.heartbeat(ids[1]!, generation)).toBe(REBALANCING);
  });

  it('does not rebalance for an unchanged follower that rejoins, but for the leader', async () => {
    const { ids, generation, leader } = await stable(2);
    const follower = ids.find((id) => id !== leader)!;
    expect((await group.join(request(follower))).generation).toBe(generation);
    expect(group.heartbeat(leader, generation)).toBe(NONE);
    void group.join(request(leader));
    expect(group.heartbeat(follower, generation)).toBe(REBALANCING);
  });

  it('chooses a common strategy, in the order of the leader', async () => {
    const offers = (...names: string[]) => ({
      protocols: names.map((name) => ({ name, metadata: Buffer.from(name) })),
    });
    const ids = [await newId(offers('a', 'b')), await newId(offers('b', 'c'))];
    const joins = [
      group.join(request(ids[0]!, offers('a', 'b'))),
      group.join(request(ids[1]!, offers('b', 'c'))),
    ];
    jest.advanceTimersByTime(50);
    const [first] = await Promise.all(joins);
    expect(first!.protocol).toBe('b');
    expect(first!.members.map(({ metadata }) => metadata.toString())).toEqual(['b', 'b']);
    expect(await group.join(request('', offers('c')))).toMatchObject({ error: INCONSISTENT });
  });

  it('rejects an unknown member id', async () => {
    expect(await group.join(request('made-up'))).toMatchObject({ error: UNKNOWN_MEMBER });
    const { ids, generation } = await stable(1);
    expect(group.heartbeat(ids[0]!, generation - 1)).toBe(ILLEGAL_GENERATION);
    expect((await group.sync('made-up', generation, [])).error).toBe(UNKNOWN_MEMBER);
  });

  it('accepts commits of members of this generation, and of all while it is empty', async () => {
    expect(group.mayCommit('', -1)).toBe(NONE);
    const { ids, generation } = await stable(1);
    expect(group.mayCommit(ids[0]!, generation)).toBe(NONE);
    expect(group.mayCommit(ids[0]!, generation - 1)).toBe(ILLEGAL_GENERATION);
    expect(group.mayCommit('', -1)).toBe(UNKNOWN_MEMBER);
  });
});
