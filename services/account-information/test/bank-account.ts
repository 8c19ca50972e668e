import { randomUUID } from 'node:crypto';
import { PutAccountRequest } from '@kontoport/proto/accounts/v1';
import type { Reader, Running } from './running.ts';

/** An account that the bank puts: the required fields and the given ones. */
export function bankAccount(given: Partial<PutAccountRequest> = {}): PutAccountRequest {
  return PutAccountRequest.fromPartial({
    accountId: randomUUID(),
    userId: randomUUID(),
    name: 'Drift',
    type: 'CHECKING',
    currency: 'DKK',
    bban: '66950001234567',
    ...given,
  });
}

/** Puts an account of the bank and gives the TPP a consent for it. */
export async function openAccount(
  running: Running,
  tpp: Reader,
  given: Partial<PutAccountRequest> = {},
): Promise<PutAccountRequest> {
  const account = bankAccount(given);
  await running.feed.putAccount(account);
  await openTo(running, tpp, account);
  return account;
}

/** A consent of the account's user for the TPP. */
export async function openTo(
  running: Running,
  { clientId }: Reader,
  { accountId, userId }: PutAccountRequest,
): Promise<void> {
  await running.pool.query(
    `WITH granted AS (INSERT INTO consent (id, client_id, user_id, roles, granted_at)
       VALUES (gen_random_uuid(), $1, $2, '{PSP_AI,PSP_PI}', now() - interval '1 day') RETURNING id)
     INSERT INTO consent_account SELECT id, $3 FROM granted`,
    [clientId, userId, accountId],
  );
}
