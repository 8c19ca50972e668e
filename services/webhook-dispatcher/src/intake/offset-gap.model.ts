/** Offsets from the first to the one before `to`. */
interface Offsets {
  from: bigint;
  to: bigint;
}

/** Why records that were passed over are missing: a topic that has them can give them again. */
export type GapStatus = 'available' | 'expired';

/** Tells what of a range its topic still has, when it begins at `logStart`. */
export function classifyOffsetGap<Range extends Offsets>(
  range: Range,
  logStart: bigint,
): (Range & { whereabouts: GapStatus })[] {
  const { from, to } = range;
  const middle = logStart < from ? from : logStart > to ? to : logStart;
  const parts = [
    { ...range, to: middle, whereabouts: 'expired' as const },
    { ...range, from: middle, whereabouts: 'available' as const },
  ];
  return parts.filter((part) => part.from < part.to);
}

/** How many records ranges are. */
export function countRecords(ranges: readonly Offsets[]): number {
  return Number(ranges.reduce((sum, { from, to }) => sum + to - from, 0n));
}
