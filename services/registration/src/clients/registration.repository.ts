import type { Tx } from '@kontoport/database';
import { nextRevision, writeAuditRecords } from '../directory/directory.repository.ts';
import type { Db, PrismaTx } from '../gen/db.ts';
import type { StoredSecret } from './client-secret.model.ts';
import type { Client } from './client.model.ts';
import {
  type AnswerState,
  type EarlierRequest,
  isLost,
  type RegistrationRequest,
  requireSameBody,
  type StoredRegistration,
} from './registration-request.model.ts';

/** Identifies a request id of an organization. */
type RequestKey = Pick<RegistrationRequest, 'organizationIdentifier' | 'requestId'>;

/**
 * Claims a request id for a client, or finds its first client. Locks the row until `tx` ends. SQL: an upsert that returns
 * the first row.
 */
export async function claimRequest(
  tx: PrismaTx,
  { request, client }: { request: RegistrationRequest; client: Client },
): Promise<EarlierRequest> {
  const { organizationIdentifier, requestId, bodyHash } = request;
  const [row] = await tx.$queryRaw<[EarlierRequest]>`
    INSERT INTO registration_request AS first
      (organization_identifier, request_id, body_hash, client_id, created_at, answer, answered_at)
    VALUES (${organizationIdentifier}, ${requestId}, ${bodyHash}, ${client.clientId}::uuid, ${client.createdAt},
            'pending', clock_timestamp())
    ON CONFLICT (organization_identifier, request_id) DO UPDATE SET client_id = first.client_id
    RETURNING client_id AS "clientId", body_hash AS "bodyHash", answer,
              coalesce(extract(epoch FROM clock_timestamp() - answered_at) * 1000, 0)::float8 AS "ageMs"`;
  return row;
}

/**
 * Answers a repetition under an id that `tx` has claimed. If the first answer was never sent, it replaces the secret, because
 * its clear text is not stored. A secret that was accepted once was received.
 * SQL for the beginning of the answer: the database's clock decides its age.
 * @throws ApiError IDEMPOTENCY_CONFLICT for another body
 */
export async function repeatRegistration(
  tx: PrismaTx,
  options: { request: RegistrationRequest; first: EarlierRequest; secret: StoredSecret; now: Date },
): Promise<StoredRegistration> {
  const { request, first, secret, now } = options;
  const { clientId } = first;
  requireSameBody(first.bodyHash, request.bodyHash);
  const answered = { secret: first.answer === 'pending' ? 'pending' : 'answered', clientId } as const;
  if (!isLost(first)) return answered;
  const { count } = await tx.client.updateMany({
    where: { id: clientId, usedAt: null, deletedAt: null },
    data: { secretHash: secret.hash, secretPepperId: secret.pepperId },
  });
  if (count !== 1) return { secret: 'answered', clientId };
  await tx.$executeRaw`
    UPDATE registration_request SET answer = 'pending', answered_at = clock_timestamp()
    WHERE organization_identifier = ${request.organizationIdentifier} AND request_id = ${request.requestId}`;
  await writeAuditRecords(tx, { action: 'CLIENT_SECRET_RENEWED', clientId, now });
  // This change invalidates every cached acceptance of the old secret.
  const revision = await nextRevision(tx);
  await tx.client.update({ where: { id: clientId }, data: { revision }, select: { id: true } });
  return { secret: 'new', clientId, revision, renewed: true };
}

/** Stores the outcome of the answer with the secret. */
export async function recordAnswer(
  { prisma }: Db,
  { organizationIdentifier, requestId, answer }: RequestKey & { answer: AnswerState },
): Promise<void> {
  await prisma.registrationRequest.updateMany({
    where: { organizationIdentifier, requestId, answer: 'pending' },
    data: { answer },
  });
}

/** Whether the answer with the secret is still being sent; false for an unknown id. */
export async function isAnswerPending(
  { prisma }: Db,
  { organizationIdentifier, requestId }: RequestKey,
): Promise<boolean> {
  const found = await prisma.registrationRequest.findUnique({
    where: { organizationIdentifier_requestId: { organizationIdentifier, requestId } },
    select: { answer: true },
  });
  return found?.answer === 'pending';
}

/**
 * Takes one registration from the allowance of an organization. It is exact over all replicas, because each locks the row.
 * SQL: an upsert that decides and writes, by the database's clock, and then the wait by the same clock.
 * @param pace see `paceOf`
 * @returns milliseconds until the next one is available; undefined when one was available
 */
export async function spendRegistration(
  tx: Tx,
  organizationIdentifier: string,
  { stepMs, aheadMs }: { stepMs: number; aheadMs: number },
): Promise<number | undefined> {
  const { rowCount } = await tx.query(
    `INSERT INTO registration_rate AS rate (organization_identifier, full_at)
     VALUES ($1, now() + $2::float8 * interval '1 millisecond')
     ON CONFLICT (organization_identifier) DO UPDATE
       SET full_at = greatest(rate.full_at, now()) + $2::float8 * interval '1 millisecond'
       WHERE rate.full_at <= now() + $3::float8 * interval '1 millisecond'`,
    [organizationIdentifier, stepMs, aheadMs],
  );
  if (rowCount !== 0) return undefined;
  const { rows } = await tx.query<{ waitMs: number }>(
    `SELECT (extract(epoch FROM full_at - now()) * 1000 - $2)::float8 AS "waitMs"
     FROM registration_rate WHERE organization_identifier = $1`,
    [organizationIdentifier, aheadMs],
  );
  // The row may be deleted in between: then the whole allowance is available.
  return Math.max(0, rows[0]?.waitMs ?? 0);
}

/** Deletes at most `limit` organizations whose allowance is whole again. SQL: a batch. @returns the number of deleted ones */
export async function forgetRates(tx: Tx, limit: number): Promise<number> {
  const { rowCount } = await tx.query(
    `DELETE FROM registration_rate WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM registration_rate WHERE full_at < now()
       ORDER BY full_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    [limit],
  );
  return rowCount ?? 0;
}
