import type { Tx } from '@kontoport/database';
import type pg from 'pg';
import type { KnownClient, Watcher } from './known-client.model.ts';

/**
 * Takes the number of the next change. Until `tx` ends all other changes wait, and so does every acknowledgement: the
 * numbers are gapless in the order of the commits, and an acknowledgement is either seen by the one who waits for this
 * change, or is given after the change and knows its number.
 */
export async function nextRevision(tx: pg.PoolClient): Promise<bigint> {
  const { rows } = await tx.query<{ revision: string }>(
    'UPDATE client_revision SET revision = revision + 1 RETURNING revision',
  );
  return BigInt(rows[0]!.revision);
}

/** All clients changed after `revision`, tombstones included, in the order of their changes. Plain SQL: one statement is one snapshot. */
export async function readChanges(tx: Tx, revision: bigint): Promise<KnownClient[]> {
  const { rows } = await tx.query<Omit<KnownClient, 'revision'> & { revision: string }>(
    `SELECT id AS "clientId", coalesce(name, '') AS name, roles, redirect_uris AS "redirectUris",
            organization_identifier AS "organizationIdentifier", deleted_at IS NOT NULL AS deleted, revision,
            created_at AS "createdAt",
            ARRAY(SELECT thumbprint FROM certificate_chain WHERE client_id = client.id ORDER BY added_at, id)
              AS "certificateThumbprints"
     FROM client WHERE revision > $1 ORDER BY revision`,
    [revision],
  );
  return rows.map((row) => ({ ...row, revision: BigInt(row.revision) }));
}

/**
 * Notes that the watchers are alive and what they have applied.
 * @returns the number of the last change: whoever is told of this acknowledgement must be told of all changes up to it
 *   first. The share lock makes that exact; see `nextRevision`.
 */
export async function recordWatchers(tx: Tx, watchers: readonly Watcher[]): Promise<bigint> {
  const { rows } = await tx.query<{ revision: string }>(
    `WITH last_change AS MATERIALIZED (SELECT revision FROM client_revision FOR SHARE),
          recorded AS (
            INSERT INTO watcher (watcher_id, service, applied_revision, seen_at)
            SELECT seen.watcher_id, seen.service, seen.applied_revision, clock_timestamp()
            FROM last_change, unnest($1::uuid[], $2::text[], $3::bigint[]) AS seen (watcher_id, service, applied_revision)
            ON CONFLICT (watcher_id) DO UPDATE
              SET applied_revision = greatest(watcher.applied_revision, excluded.applied_revision),
                  seen_at = excluded.seen_at)
     SELECT revision FROM last_change`,
    [
      watchers.map(({ watcherId }) => watcherId),
      watchers.map(({ service }) => service),
      watchers.map(({ appliedRevision }) => appliedRevision),
    ],
  );
  return BigInt(rows[0]!.revision);
}

/** Forgets watchers that have left. */
export async function forgetWatchers(tx: Tx, watcherIds: readonly string[]): Promise<void> {
  await tx.query('DELETE FROM watcher WHERE watcher_id = ANY($1::uuid[])', [watcherIds]);
}

/** Forgets watchers that have not been seen for `milliseconds`. */
export async function forgetSilentWatchers(tx: Tx, milliseconds: number): Promise<void> {
  await tx.query("DELETE FROM watcher WHERE seen_at < clock_timestamp() - $1 * interval '1 millisecond'", [
    milliseconds,
  ]);
}

/** Whether a watcher seen within `leaseMs` has not acknowledged `revision` yet. */
export async function isAwaited(tx: Tx, options: { revision: bigint; leaseMs: number }): Promise<boolean> {
  const { rows } = await tx.query<{ awaited: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM watcher
                    WHERE applied_revision < $1 AND seen_at > clock_timestamp() - $2 * interval '1 millisecond') AS awaited`,
    [options.revision, options.leaseMs],
  );
  return rows[0]!.awaited;
}
