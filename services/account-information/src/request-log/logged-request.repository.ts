import type { Tx } from '@kontoport/database';
import type { ErrorCode } from '@kontoport/errors';
import type { AnsweredRequest } from '@kontoport/proto/requests/v1';
import type { PrismaTx } from '../gen/db.ts';
import { type LogPage, type LogRequest, MAX_KEPT } from './logged-request.model.ts';

/** Stores answered requests. SQL (batch): one parameter has them all. */
export async function insertRequests(tx: Tx, requests: readonly AnsweredRequest[]): Promise<void> {
  await tx.query({
    name: 'insert-requests',
    text: `INSERT INTO logged_request
  (organization, at, request_id, client_id, method, route, status, milliseconds, error_code, message)
SELECT organization, at, "requestId", "clientId", method, route, status, milliseconds, "errorCode", message
FROM jsonb_to_recordset($1::jsonb) AS answered (organization text, at timestamptz, "requestId" text, "clientId" uuid,
  method text, route text, status integer, milliseconds integer, "errorCode" text, message text)`,
    values: [JSON.stringify(requests)],
  });
}

/**
 * Deletes the oldest requests of organizations beyond those that are kept. Run it after the insert is committed: then the last of
 * several replicas sees the requests of all. SQL (batch, lock): replicas that delete the same rows do not wait for each other.
 */
export async function deleteSurplus(tx: Tx, organizations: readonly string[]): Promise<void> {
  await tx.query({
    name: 'delete-surplus-requests',
    text: `DELETE FROM logged_request WHERE ctid = ANY (ARRAY(
  SELECT request.ctid FROM unnest($1::text[]) AS own (organization)
  CROSS JOIN LATERAL (
    SELECT at, id FROM logged_request WHERE organization = own.organization
    ORDER BY organization DESC, at DESC, id DESC OFFSET $2 LIMIT 1
  ) AS first
  CROSS JOIN LATERAL (
    SELECT ctid FROM logged_request WHERE organization = own.organization AND (at, id) <= (first.at, first.id)
    ORDER BY organization DESC, at DESC, id DESC FOR UPDATE SKIP LOCKED
  ) AS request
))`,
    values: [organizations, MAX_KEPT],
  });
}

/** Deletes old requests of all organizations. SQL (batch, lock). @returns how many */
export async function deleteOld(tx: Tx, { before, limit }: { before: Date; limit: number }): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'delete-old-requests',
    text: `DELETE FROM logged_request WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM logged_request WHERE at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
))`,
    values: [before, limit],
  });
  return rowCount ?? 0;
}

/** Finds a page of the requests of an organization, newest first. */
export async function findRequests(
  db: PrismaTx,
  organization: string,
  { status, requestId, clientId, since, after, limit }: LogRequest,
): Promise<LogPage> {
  const found = await db.loggedRequest.findMany({
    where: {
      organization,
      ...(status && { status: { gte: status.from, lte: status.to } }),
      ...(requestId !== undefined && { requestId }),
      ...(clientId !== undefined && { clientId }),
      at: { ...(since && { gte: since }), ...(after && { lte: after.at }) },
      ...(after && { OR: [{ at: { lt: after.at } }, { id: { lt: after.id } }] }),
    },
    orderBy: [{ organization: 'desc' }, { at: 'desc' }, { id: 'desc' }],
    take: limit + 1,
  });
  const requests = found
    .slice(0, limit)
    .map((row) => ({ ...row, errorCode: row.errorCode as ErrorCode | null }));
  const last = requests.at(-1);
  return { requests, next: found.length > limit && last ? { at: last.at, id: last.id } : undefined };
}
