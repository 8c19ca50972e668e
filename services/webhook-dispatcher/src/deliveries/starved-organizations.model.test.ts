import { type OrganizationQueues, StarvedOrganizations } from './starved-organizations.model.ts';

const HOUR = 3_600_000;
const waits = (unclaimedMs = HOUR): OrganizationQueues => ({ unclaimedMs, isHeld: false });
const backlog: OrganizationQueues = { unclaimedMs: HOUR, isHeld: true };
const served: OrganizationQueues = { unclaimedMs: 0, isHeld: true };

/** The result of each of these looks, by the second at which it is. */
function told(...looks: [seconds: number, organizations: Record<string, OrganizationQueues>][]): number[] {
  const unserved = new StarvedOrganizations();
  return looks.map(([seconds, organizations]) =>
    unserved.look(Object.entries(organizations), 1_000 * seconds),
  );
}

describe('how long an organization has no claimed queue (ADR-0034)', () => {
  it('counts from the first look without a claimed queue', () => {
    expect(told([100, {}], [105, { A: waits() }], [110, { A: waits() }], [125, { A: waits() }])).toEqual([
      0, 0, 5_000, 20_000,
    ]);
  });

  it('is at most the time for which a delivery has been due', () => {
    expect(told([0, { A: waits(3) }], [5, { A: waits(7) }], [10, { A: waits(2) }])).toEqual([0, 7, 2]);
  });

  it('is 0 while any of its queues is claimed, however long the others wait', () => {
    expect(told([0, { A: backlog }], [5, { A: backlog }], [60, { A: backlog, B: served }])).toEqual([
      0, 0, 0,
    ]);
  });

  it('begins again after a claim, or without due deliveries', () => {
    const again: Parameters<typeof told> = [
      [10, { A: waits() }],
      [15, { A: waits() }],
    ];
    const others: Record<string, OrganizationQueues>[] = [{ A: backlog }, { A: waits(0) }, {}];
    for (const between of others)
      expect(told([0, { A: waits() }], [5, between], ...again)).toEqual([0, 0, 0, 5_000]);
  });

  it('reports the longest of all organizations', () => {
    const both = { A: waits(), B: waits() };
    expect(told([0, { B: waits() }], [5, both], [10, both])).toEqual([0, 5_000, 10_000]);
    expect(told([0, { A: waits() }], [5, both], [10, both])).toEqual([0, 5_000, 10_000]);
  });
});
