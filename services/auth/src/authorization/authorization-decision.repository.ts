import type { Role } from '@kontoport/certificates';
import type { Tx } from '@kontoport/database';
import { CODE_LIFETIME_MS } from '../domain/authorization-request.model.ts';
import type { Db, PrismaTx } from '../gen/db.ts';

/** An approval by a user, which the code represents. */
export interface Approval {
  outcome: 'APPROVED';
  authorizationId: string;
  clientId: string;
  /** True if the client pushed the request itself. */
  isPushed: boolean;
  redirectUri: string;
  codeChallenge: string;
  /** The id of the consent that is created when the code is redeemed. */
  consentId: string;
  userId: string;
  accountIds: string[];
  roles: Role[];
  validUntil: Date;
  decidedAt: Date;
  redeemedAt: Date | undefined;
}

/** A refusal by a user. */
export interface Refusal extends Pick<
  Approval,
  'authorizationId' | 'clientId' | 'isPushed' | 'redirectUri' | 'codeChallenge' | 'decidedAt'
> {
  outcome: 'REFUSED';
}

/** The decision about a request. */
export type Decision = Approval | Refusal;

/**
 * Unredeemed decisions of a client. Beyond it the oldest is deleted. Decisions of pushed requests are counted separately,
 * because anybody can make requests that are not pushed.
 */
const MAX_WAITING = 1_000;

/** Longer than the lifetime of a request: a decided request is recognised until its end. */
const RETENTION_MS = 60 * 60_000;
const BATCH = 1_000;

/** Finds the decision about a request of the client. */
export async function findDecision(
  tx: PrismaTx,
  { authorizationId, clientId }: Pick<Decision, 'authorizationId' | 'clientId'>,
): Promise<Decision | undefined> {
  const found = await tx.authorizationDecision.findUnique({ where: { authorizationId, clientId } });
  return (found as Decision | null) ?? undefined;
}

/** Stores a decision, unless the request has one. @returns the stored decision */
export async function storeDecision({ prisma }: Db, decision: Decision): Promise<Decision> {
  const data = { accountIds: [], roles: [], ...decision };
  const { count } = await prisma.authorizationDecision.createMany({ data, skipDuplicates: true });
  if (count === 1) await dropSurplus(prisma, decision);
  return (await findDecision(prisma, decision)) ?? decision;
}

/**
 * Marks a code as redeemed. SQL: one statement decides and writes.
 * @returns false for a redeemed or expired code
 */
export async function redeemDecision(
  tx: PrismaTx,
  { authorizationId, clientId, now }: Pick<Decision, 'authorizationId' | 'clientId'> & { now: Date },
): Promise<boolean> {
  const oldest = new Date(now.getTime() - CODE_LIFETIME_MS);
  // OFFSET 0 makes the planner use the id; otherwise it may scan all unredeemed or recent decisions.
  const redeemed = await tx.$executeRaw`
    UPDATE authorization_decision SET redeemed_at = ${now} WHERE authorization_id = (
      SELECT authorization_id FROM (
        SELECT * FROM authorization_decision WHERE authorization_id = ${authorizationId}::uuid OFFSET 0 FOR UPDATE
      ) AS decision
      WHERE client_id = ${clientId}::uuid AND outcome = 'APPROVED' AND redeemed_at IS NULL AND decided_at > ${oldest})`;
  return redeemed === 1;
}

/** Deletes decisions whose requests have ended. SQL: a batch. @returns whether there may be more */
export async function deleteExpiredDecisions(tx: Tx, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `DELETE FROM authorization_decision WHERE authorization_id = ANY (ARRAY(
       SELECT authorization_id FROM authorization_decision WHERE decided_at < $1
       ORDER BY decided_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
    [new Date(now.getTime() - RETENTION_MS)],
  );
  return rowCount === BATCH;
}

/** Enforces the limit of unredeemed decisions: in the sandbox anybody can make them. SQL: a batch. */
async function dropSurplus(
  tx: PrismaTx,
  { clientId, isPushed }: Pick<Decision, 'clientId' | 'isPushed'>,
): Promise<void> {
  // OFFSET 0 makes the planner read this client's decisions first; otherwise it may read those of all clients in order.
  await tx.$executeRaw`
    DELETE FROM authorization_decision WHERE authorization_id = ANY (ARRAY(
      SELECT authorization_id FROM (
        SELECT authorization_id, decided_at FROM authorization_decision
        WHERE client_id = ${clientId}::uuid AND is_pushed = ${isPushed} AND redeemed_at IS NULL OFFSET 0
      ) AS waiting ORDER BY decided_at DESC OFFSET ${MAX_WAITING} LIMIT 100))`;
}
