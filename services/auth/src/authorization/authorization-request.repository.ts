// SQL, because whoever decides first must be told to whoever comes second (ADR 15).
import type { Role } from '@kontoport/certificates';
import type { Tx } from '@kontoport/database';
import { CODE_LIFETIME_MS } from './authorization-request.model.ts';

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

const FIELDS = `authorization_id AS "authorizationId", client_id AS "clientId", is_pushed AS "isPushed", outcome, redirect_uri AS "redirectUri",
  code_challenge AS "codeChallenge", consent_id AS "consentId", user_id AS "userId", account_ids AS "accountIds", roles,
  valid_until AS "validUntil", decided_at AS "decidedAt", redeemed_at AS "redeemedAt"`;

/** What was decided about a request of the client. */
export async function findDecision(
  tx: Tx,
  { authorizationId, clientId }: Pick<Decision, 'authorizationId' | 'clientId'>,
): Promise<Decision | undefined> {
  const { rows } = await tx.query<Decision>(
    `SELECT ${FIELDS} FROM authorization_decision WHERE authorization_id = $1 AND client_id = $2`,
    [authorizationId, clientId],
  );
  return rows[0];
}

/** Writes a decision, unless there is one already. @returns the one that stands */
export async function storeDecision(tx: Tx, decision: Decision): Promise<Decision> {
  const { authorizationId, clientId, isPushed, outcome, redirectUri, codeChallenge, decidedAt } = decision;
  const given = decision.outcome === 'APPROVED' ? decision : undefined;
  const { rowCount } = await tx.query(
    `INSERT INTO authorization_decision (authorization_id, client_id, outcome, redirect_uri, code_challenge, decided_at,
                                         consent_id, user_id, account_ids, roles, valid_until, is_pushed)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (authorization_id) DO NOTHING`,
    [
      authorizationId,
      clientId,
      outcome,
      redirectUri,
      codeChallenge,
      decidedAt,
      given?.consentId,
      given?.userId,
      given?.accountIds ?? [],
      given?.roles ?? [],
      given?.validUntil,
      isPushed,
    ],
  );
  if (rowCount === 1) await dropSurplus(tx, decision);
  return (await findDecision(tx, decision)) ?? decision;
}

/** Uses a code up. @returns false when that has happened already, or its time is over */
export async function redeemDecision(
  tx: Tx,
  { authorizationId, clientId, now }: Pick<Decision, 'authorizationId' | 'clientId'> & { now: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    // Found by its id alone: the planner could look for what is not redeemed, or young, and read all of it.
    `UPDATE authorization_decision SET redeemed_at = $3 WHERE authorization_id = (
       SELECT authorization_id FROM (
         SELECT * FROM authorization_decision WHERE authorization_id = $1 OFFSET 0 FOR UPDATE
       ) AS decision
       WHERE client_id = $2 AND outcome = 'APPROVED' AND redeemed_at IS NULL AND decided_at > $4)`,
    [authorizationId, clientId, now, new Date(now.getTime() - CODE_LIFETIME_MS)],
  );
  return rowCount === 1;
}

/** Forgets decisions whose requests nobody can show any more. @returns whether there may be more */
export async function forgetDecisions(tx: Tx, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `DELETE FROM authorization_decision WHERE authorization_id = ANY (ARRAY(
       SELECT authorization_id FROM authorization_decision WHERE decided_at < $1
       ORDER BY decided_at LIMIT ${FORGOTTEN_AT_A_TIME} FOR UPDATE SKIP LOCKED))`,
    [new Date(now.getTime() - KEPT_MS)],
  );
  return rowCount === FORGOTTEN_AT_A_TIME;
}

/** Anybody may have a sandbox's simulated users decide for any client: what waits is bounded, and makes nobody wait. */
async function dropSurplus(
  tx: Tx,
  { clientId, isPushed }: Pick<Decision, 'clientId' | 'isPushed'>,
): Promise<void> {
  await tx.query(
    // The client's first, and then in their order: in the order of all decisions the planner would read those of others.
    `DELETE FROM authorization_decision WHERE authorization_id = ANY (ARRAY(
       SELECT authorization_id FROM (
         SELECT authorization_id, decided_at FROM authorization_decision
         WHERE client_id = $1 AND is_pushed = $2 AND redeemed_at IS NULL OFFSET 0
       ) AS waiting ORDER BY decided_at DESC OFFSET ${MOST_WAITING} LIMIT 100))`,
    [clientId, isPushed],
  );
}
