import type { Role } from '@kontoport/certificates';
import type { Tx } from '@kontoport/database';
import { CODE_LIFETIME_MS } from '../domain/authorization-request.model.ts';
import type { Db, PrismaTx } from '../gen/db.ts';

/** A user's yes: what the code stands for. */
export interface Approval {
  outcome: 'APPROVED';
  authorizationId: string;
  clientId: string;
  /** Whether the client itself has pushed the request. */
  isPushed: boolean;
  redirectUri: string;
  codeChallenge: string;
  /** Of the consent that is made when the code is redeemed. */
  consentId: string;
  userId: string;
  accountIds: string[];
  roles: Role[];
  validUntil: Date;
  decidedAt: Date;
  redeemedAt: Date | undefined;
}

/** A user's no. */
export interface Refusal extends Pick<
  Approval,
  'authorizationId' | 'clientId' | 'isPushed' | 'redirectUri' | 'codeChallenge' | 'decidedAt'
> {
  outcome: 'REFUSED';
}

/** What was decided about a request. */
export type Decision = Approval | Refusal;

/**
 * Decisions of a client that nobody has redeemed; beyond them the oldest gives way, so that nobody is kept out. Those of
 * pushed requests are counted apart: what anybody can make never makes them give way.
 */
const MOST_WAITING = 1_000;

/** Longer than any request can be shown: until then it is known that it was decided. */
const KEPT_MS = 60 * 60_000;
const FORGOTTEN_AT_A_TIME = 1_000;

/** The decision about a request of the client. */
export async function findDecision(
  tx: PrismaTx,
  { authorizationId, clientId }: Pick<Decision, 'authorizationId' | 'clientId'>,
): Promise<Decision | undefined> {
  const found = await tx.authorizationDecision.findUnique({ where: { authorizationId, clientId } });
  return (found as Decision | null) ?? undefined;
}

/** Writes a decision, unless there is one already. @returns the one that stands */
export async function storeDecision({ prisma }: Db, decision: Decision): Promise<Decision> {
  const data = { accountIds: [], roles: [], ...decision };
  const { count } = await prisma.authorizationDecision.createMany({ data, skipDuplicates: true });
  if (count === 1) await dropSurplus(prisma, decision);
  return (await findDecision(prisma, decision)) ?? decision;
}

/**
 * Uses a code up. SQL: one statement decides and writes.
 * @returns false when that has happened already, or its time is over
 */
export async function redeemDecision(
  tx: PrismaTx,
  { authorizationId, clientId, now }: Pick<Decision, 'authorizationId' | 'clientId'> & { now: Date },
): Promise<boolean> {
  const oldest = new Date(now.getTime() - CODE_LIFETIME_MS);
  // Found by its id alone: the planner could look for what is not redeemed, or young, and read all of it.
  const redeemed = await tx.$executeRaw`
    UPDATE authorization_decision SET redeemed_at = ${now} WHERE authorization_id = (
      SELECT authorization_id FROM (
        SELECT * FROM authorization_decision WHERE authorization_id = ${authorizationId}::uuid OFFSET 0 FOR UPDATE
      ) AS decision
      WHERE client_id = ${clientId}::uuid AND outcome = 'APPROVED' AND redeemed_at IS NULL AND decided_at > ${oldest})`;
  return redeemed === 1;
}

/** Forgets decisions whose requests nobody can show any more. SQL: a batch. @returns whether there may be more */
export async function forgetDecisions(tx: Tx, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `DELETE FROM authorization_decision WHERE authorization_id = ANY (ARRAY(
       SELECT authorization_id FROM authorization_decision WHERE decided_at < $1
       ORDER BY decided_at LIMIT ${FORGOTTEN_AT_A_TIME} FOR UPDATE SKIP LOCKED))`,
    [new Date(now.getTime() - KEPT_MS)],
  );
  return rowCount === FORGOTTEN_AT_A_TIME;
}

/**
 * Anybody may have a sandbox's simulated users decide for any client: what waits is bounded, and makes nobody wait.
 * SQL: a batch.
 */
async function dropSurplus(
  tx: PrismaTx,
  { clientId, isPushed }: Pick<Decision, 'clientId' | 'isPushed'>,
): Promise<void> {
  // The client's first, and then in their order: in the order of all decisions the planner would read those of others.
  await tx.$executeRaw`
    DELETE FROM authorization_decision WHERE authorization_id = ANY (ARRAY(
      SELECT authorization_id FROM (
        SELECT authorization_id, decided_at FROM authorization_decision
        WHERE client_id = ${clientId}::uuid AND is_pushed = ${isPushed} AND redeemed_at IS NULL OFFSET 0
      ) AS waiting ORDER BY decided_at DESC OFFSET ${MOST_WAITING} LIMIT 100))`;
}
