import { listParameter as list, type Tx } from '@kontoport/database';
import type { OffsetRange } from '@kontoport/events';

/** Adds offsets to the processed ones. @param at number of the first of `offsetColumns`'s parameters */
export const addOffsetsSql = (at: number): string => `
  INSERT INTO intake (topic, partition, taken)
  SELECT topic, partition, range_agg(int8range(first, beyond))
  FROM unnest(${list(at, 'text')}, ${list(at + 1, 'int')}, ${list(at + 2, 'bigint')}, ${list(at + 3, 'bigint')})
    AS given (topic, partition, first, beyond)
  GROUP BY topic, partition ORDER BY topic, partition
  ON CONFLICT (topic, partition) DO UPDATE SET taken = intake.taken + excluded.taken`;

/** Ranges as four columns. */
export function offsetColumns(ranges: readonly OffsetRange[]): [string[], number[], bigint[], bigint[]] {
  return [
    ranges.map(({ topic }) => topic),
    ranges.map(({ partition }) => partition),
    ranges.map(({ from }) => from),
    ranges.map(({ to }) => to),
  ];
}

/** Records offsets as processed that brought no event. SQL: a batch, of ranges that Prisma has no type for. */
export async function recordOffsets(tx: Tx, ranges: readonly OffsetRange[]): Promise<void> {
  await tx.query({ name: 'record-taken', text: addOffsetsSql(1), values: offsetColumns(ranges) });
}

/** The committed offset of the group in a partition. */
export interface Committed {
  topic: string;
  partition: number;
  committed: bigint;
}

const columns = (progress: readonly Committed[]) => [
  progress.map(({ topic }) => topic),
  progress.map(({ partition }) => partition),
  progress.map(({ committed }) => committed),
];

/**
 * Records the committed offsets of new partitions as processed.
 * SQL: a batch.
 * @returns how many partitions were new
 */
export async function initializeIntake(tx: Tx, progress: readonly Committed[]): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'begin-intake',
    text: `
      INSERT INTO intake (topic, partition, taken)
      SELECT topic, partition, int8multirange(int8range(0, committed))
      FROM unnest($1::text[], $2::int[], $3::bigint[]) AS given (topic, partition, committed)
      WHERE committed > 0 ORDER BY topic, partition
      ON CONFLICT (topic, partition) DO NOTHING`,
    values: columns(progress),
  });
  return rowCount ?? 0;
}

/** Offsets that were committed or passed, but not processed. */
export interface OffsetGap extends OffsetRange {
  /** Whether a process has logged it. */
  isReported: boolean;
}

/**
 * Finds offsets that were not processed although later ones were, or although they were committed. Offsets before the first processed
 * one are not missing.
 * SQL: a batch.
 * @param progress read before this call, so that all of it is recorded by now
 */
export async function findOffsetGaps(tx: Tx, progress: readonly Committed[]): Promise<OffsetGap[]> {
  const { rows } = await tx.query<{
    topic: string;
    partition: number;
    first: string;
    beyond: string;
    told: boolean;
  }>({
    name: 'find-offset-gaps',
    text: `
      WITH holes AS (
        SELECT topic, partition, intake.told,
          int8multirange(int8range(lower(taken), greatest(upper(taken), committed))) - taken AS missing
        FROM unnest($1::text[], $2::int[], $3::bigint[]) AS given (topic, partition, committed)
        JOIN intake USING (topic, partition)
      )
      SELECT topic, partition, lower(hole)::text AS first, upper(hole)::text AS beyond, piece.told
      FROM holes CROSS JOIN LATERAL (
        SELECT unnest(missing - holes.told) AS hole, false AS told
        UNION ALL SELECT unnest(missing * holes.told), true
      ) AS piece
      ORDER BY topic, partition, hole`,
    values: columns(progress),
  });
  return rows.map(({ topic, partition, first, beyond, told: isReported }) => ({
    topic,
    partition,
    from: BigInt(first),
    to: BigInt(beyond),
    isReported,
  }));
}

/**
 * Marks a gap as reported. SQL: one statement decides and writes.
 * @returns false if another process was first
 */
export async function markReported(tx: Tx, { topic, partition, from, to }: OffsetRange): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'mark-reported',
    text: `
      UPDATE intake SET told = told + int8multirange(int8range($3, $4))
      WHERE topic = $1 AND partition = $2 AND NOT told && int8range($3, $4)`,
    values: [topic, partition, from, to],
  });
  return rowCount === 1;
}
