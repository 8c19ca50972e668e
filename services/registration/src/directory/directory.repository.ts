import { redirectDigests } from '@kontoport/client-directory';
import { sqlWriter, type Tx } from '@kontoport/database';
import { addToOutbox, type Audited, auditEvent } from '@kontoport/events';
import type { Db, PrismaTx } from '../gen/db.ts';
import {
  type ChangedClients,
  type DirectoryState,
  type KnownClient,
  toKnownCertificate,
  type Watcher,
} from './known-client.model.ts';
import { toRevokedToken } from './revoked-tokens.model.ts';

/** A client as a statement returns it. */
export interface KnownClientRow extends Omit<
  KnownClient,
  | 'revision'
  | 'redirectDigests'
  | 'redirectUriDigests'
  | 'roles'
  | 'certificates'
  | 'displayName'
  | 'revokedTokens'
> {
  revision: string;
  /** Words instead of arrays, which take ten times as long to read; there may be many clients. */
  roles: string;
  certificates: string;
  revokedTokens: string | null;
  displayName: string | null;
  redirectUriDigests: Buffer | null;
  redirectDigests: Buffer | null;
  /** Only for rows without digests. */
  redirectUris: string[] | null;
}

const NO_DIGESTS = Buffer.alloc(0);

type ChangeRow = { lastRevision: string; purgedRevision: string } & (KnownClientRow | { clientId: null });

/**
 * Reserves the numbers of the next changes, and returns the last of them. All other changes and all acknowledgements wait until
 * `tx` ends. The numbers are gapless in the order of the commits. An acknowledgement is either visible to the transaction that
 * waits for this change, or it is given after the change and includes its number.
 */
export async function nextRevision(tx: PrismaTx, changes = 1): Promise<bigint> {
  const { revision } = await tx.clientRevision.update({
    where: { onlyRow: true },
    data: { revision: { increment: changes } },
  });
  return revision;
}

/**
 * Reads the first clients changed after `revision`, tombstones included, in the order of their changes.
 * SQL: one statement decides and reads; clients and state are of one snapshot.
 * @param options.limit maximum number of clients; with fewer, they include all changes up to `state.revision`
 */
export async function readChanges(
  tx: Tx,
  { after, limit }: { after: bigint; limit: number },
): Promise<ChangedClients> {
  const { rows } = await tx.query<ChangeRow>({
    // Every replica runs it ten times a second, so it is planned once.
    name: 'read-changes',
    text: `SELECT state.revision AS "lastRevision", state.purged_revision AS "purgedRevision", changed.*
     FROM client_revision AS state LEFT JOIN LATERAL (
       SELECT id AS "clientId", array_to_string(roles, ' ') AS roles, redirect_digests AS "redirectDigests",
              CASE WHEN redirect_digests IS NULL THEN redirect_uris END AS "redirectUris",
              organization_identifier AS "organizationIdentifier", deleted_at IS NOT NULL AS deleted, revision,
              redirect_uri_digests AS "redirectUriDigests", display_name AS "displayName",
              revoked_tokens AS "revokedTokens", certificates
       FROM client WHERE revision > $1 ORDER BY revision LIMIT $2) AS changed ON true
     ORDER BY changed.revision`,
    values: [after, limit],
  });
  const [{ lastRevision, purgedRevision }] = rows as [ChangeRow];
  return {
    clients: rows.flatMap((row) => (row.clientId === null ? [] : toKnownClient(row))),
    state: { revision: BigInt(lastRevision), purgedRevision: BigInt(purgedRevision) },
  };
}

/** Converts a row for the directory. Digests are absent only in rows from before they existed. */
export function toKnownClient(row: KnownClientRow): KnownClient {
  const { clientId, redirectUris, organizationIdentifier, deleted } = row;
  return {
    clientId,
    roles: words(row.roles),
    redirectDigests: row.redirectDigests ?? redirectDigests(redirectUris ?? []),
    redirectUriDigests: row.redirectUriDigests ?? NO_DIGESTS,
    organizationIdentifier,
    certificates: words(row.certificates).map(toKnownCertificate),
    displayName: row.displayName ?? '',
    revokedTokens: words(row.revokedTokens ?? '').map(toRevokedToken),
    revision: BigInt(row.revision),
    deleted,
  };
}

function words(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}

/**
 * Stores that watchers are alive, and the changes that they have applied.
 * @returns the state of all changes: a watcher must receive all of them before the echo of this acknowledgement. The share
 *   lock makes that exact; see `nextRevision`. SQL: a lock, and a batch.
 */
export async function recordWatchers(tx: Tx, watchers: readonly Watcher[]): Promise<DirectoryState> {
  const { rows } = await tx.query<{ revision: string; purgedRevision: string }>({
    name: 'record-watchers',
    text: `WITH last_change AS MATERIALIZED (SELECT revision, purged_revision FROM client_revision FOR SHARE),
          recorded AS (
            INSERT INTO watcher (watcher_id, service, applied_revision, seen_at)
            SELECT seen.watcher_id, seen.service, seen.applied_revision, clock_timestamp()
            FROM last_change, unnest($1::uuid[], $2::text[], $3::bigint[]) AS seen (watcher_id, service, applied_revision)
            ON CONFLICT (watcher_id) DO UPDATE
              SET applied_revision = greatest(watcher.applied_revision, excluded.applied_revision),
                  seen_at = excluded.seen_at)
     SELECT revision, purged_revision AS "purgedRevision" FROM last_change`,
    values: [
      watchers.map(({ watcherId }) => watcherId),
      watchers.map(({ service }) => service),
      watchers.map(({ appliedRevision }) => appliedRevision),
    ],
  });
  const { revision, purgedRevision } = rows[0]!;
  return { revision: BigInt(revision), purgedRevision: BigInt(purgedRevision) };
}

/** Deletes watchers that have left. */
export async function forgetWatchers({ prisma }: Db, watcherIds: readonly string[]): Promise<void> {
  await prisma.watcher.deleteMany({ where: { watcherId: { in: [...watcherIds] } } });
}

/** Deletes watchers that were last seen more than `milliseconds` ago. SQL: one statement decides by the database's clock. */
export async function forgetSilentWatchers(tx: Tx, milliseconds: number): Promise<void> {
  await tx.query("DELETE FROM watcher WHERE seen_at < clock_timestamp() - $1 * interval '1 millisecond'", [
    milliseconds,
  ]);
}

/** Whether a watcher seen within `leaseMs` has not acknowledged `revision` yet. SQL: one statement decides by the database's clock. */
export async function isAwaited(tx: Tx, options: { revision: bigint; leaseMs: number }): Promise<boolean> {
  const { rows } = await tx.query<{ awaited: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM watcher
                    WHERE applied_revision < $1 AND seen_at > clock_timestamp() - $2 * interval '1 millisecond') AS awaited`,
    [options.revision, options.leaseMs],
  );
  return rows[0]!.awaited;
}

/** A change of a client. */
type AuditedChange = Pick<Audited, 'action' | 'clientId' | 'now'> & {
  /** `SERVICE` for an automatic change; otherwise the client itself. */
  actor?: Audited['actor'];
  /** The id of an added chain. */
  relatedIds?: readonly string[];
};

/**
 * Writes audit records in the transaction of the changes. Call it before `nextRevision`: from that on, other changes wait for
 * this transaction.
 */
export async function writeAuditRecords(tx: PrismaTx, ...done: readonly AuditedChange[]): Promise<void> {
  const records = done.map(({ actor = 'CLIENT', clientId, relatedIds = [], ...what }) =>
    auditEvent({
      ...what,
      service: 'registration',
      actor,
      clientId,
      // No user is involved.
      userId: '',
      objectId: clientId,
      relatedIds,
    }),
  );
  await addToOutbox(sqlWriter(tx), ...records);
}
