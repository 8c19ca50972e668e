import { listParameter as list, type Tx } from '@kontoport/database';
import type { OffsetRange } from '@kontoport/events';

/** Adds offsets to those that were taken. @param at number of the first of `offsetColumns`'s parameters */
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

/** Records that offsets were taken of which nothing is stored. SQL: a batch, of ranges that Prisma has no type for. */
export async function recordOffsets(tx: Tx, ranges: readonly OffsetRange[]): Promise<void> {
  await tx.query({ name: 'record-taken', text: addOffsetsSql(1), values: offsetColumns(ranges) });
}

/** How far the group has got in a partition. */
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
 * Takes for granted what was committed of partitions of which nothing is recorded yet.
 * SQL: a batch.
 * @returns how many partitions that were
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

/** Offsets that were passed over. */
export interface OffsetGap extends OffsetRange {
  /** Whether somebody has said so. */
  told: boolean;
}

/**
 * Offsets that were not taken although later ones were, or although they were committed. What was before the first one that
 * was ever taken is not missing.
 * SQL: a batch.
 * @param progress from before this is called: what is committed by then is recorded by now
 */
export async function findOffsetGaps(tx: Tx, progress: readonly Committed[]): Promise<OffsetGap[]> {
  const { rows } = await tx.query<{
    topic: string;
    partition: number;
    first: string;
    beyond: string;
    told: boolean;
  }>({
    name: 'find-missing',
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
  return rows.map(({ topic, partition, first, beyond, told }) => ({
    topic,
    partition,
    from: BigInt(first),
    to: BigInt(beyond),
    told,
  }));
}

/**
 * Notes that somebody tells of missing offsets. SQL: one statement decides and writes.
 * @returns false where another was first
 */
export async function tell(tx: Tx, { topic, partition, from, to }: OffsetRange): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'tell-missing',
    text: `
      UPDATE intake SET told = told + int8multirange(int8range($3, $4))
      WHERE topic = $1 AND partition = $2 AND NOT told && int8range($3, $4)`,
    values: [topic, partition, from, to],
  });
  return rowCount === 1;
}
