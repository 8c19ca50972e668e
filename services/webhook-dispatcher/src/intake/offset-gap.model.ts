/** Offsets from the first to the one before `to`. */
interface Offsets {
  from: bigint;
  to: bigint;
}

/** Whether the topic still has the records of a gap. */
export type GapStatus = 'available' | 'expired';

/** Splits a gap into the part that its topic, which begins at `logStart`, still has, and the expired part. */
export function classifyOffsetGap<Range extends Offsets>(
  range: Range,
  logStart: bigint,
): (Range & { gapStatus: GapStatus })[] {
  const { from, to } = range;
  const middle = logStart < from ? from : logStart > to ? to : logStart;
  const parts = [
    { ...range, to: middle, gapStatus: 'expired' as const },
    { ...range, from: middle, gapStatus: 'available' as const },
  ];
  return parts.filter((part) => part.from < part.to);
}

/** Counts the records of ranges. */
export function countRecords(ranges: readonly Offsets[]): number {
  return Number(ranges.reduce((sum, { from, to }) => sum + to - from, 0n));
}
