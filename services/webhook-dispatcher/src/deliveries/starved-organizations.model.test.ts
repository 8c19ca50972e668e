import { type OrganizationQueues, StarvedOrganizations } from './starved-organizations.model.ts';

const HOUR = 3_600_000;
const waits = (unclaimedMs = HOUR): OrganizationQueues => ({ unclaimedMs, isHeld: false });
const backlog: OrganizationQueues = { unclaimedMs: HOUR, isHeld: true };
const served: OrganizationQueues = { unclaimedMs: 0, isHeld: true };

/** What each of these looks tells, by the second at which it is. */
function told(...looks: [seconds: number, organizations: Record<string, OrganizationQueues>][]): number[] {
  const unserved = new StarvedOrganizations();
  return looks.map(([seconds, organizations]) =>
    unserved.look(Object.entries(organizations), 1_000 * seconds),
  );
}

describe('for how long an organization is left out (ADR-0034)', () => {
  it('is since the first look at which nobody had a queue of it', () => {
    expect(told([100, {}], [105, { A: waits() }], [110, { A: waits() }], [125, { A: waits() }])).toEqual([
      0, 0, 5_000, 20_000,
    ]);
  });

  it('is no longer than something has been due', () => {
    expect(told([0, { A: waits(3) }], [5, { A: waits(7) }], [10, { A: waits(2) }])).toEqual([0, 7, 2]);
  });

  it('is nothing as long as somebody has a queue of it, however long others of it wait', () => {
    expect(told([0, { A: backlog }], [5, { A: backlog }], [60, { A: backlog, B: served }])).toEqual([
      0, 0, 0,
    ]);
  });

  it('begins anew once it was served, or had nothing due', () => {
    const again: Parameters<typeof told> = [
      [10, { A: waits() }],
      [15, { A: waits() }],
    ];
    const others: Record<string, OrganizationQueues>[] = [{ A: backlog }, { A: waits(0) }, {}];
    for (const between of others)
      expect(told([0, { A: waits() }], [5, between], ...again)).toEqual([0, 0, 0, 5_000]);
  });

  it('is that of the longest of all', () => {
    const both = { A: waits(), B: waits() };
    expect(told([0, { B: waits() }], [5, both], [10, both])).toEqual([0, 5_000, 10_000]);
    expect(told([0, { A: waits() }], [5, both], [10, both])).toEqual([0, 5_000, 10_000]);
  });
});
