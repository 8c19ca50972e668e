import { randomUUID } from 'node:crypto';
import { CreateConsentRequest } from '@kontoport/proto/accounts/v1';
import type { Running } from './running.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Returns the time `days` days and `moreMs` milliseconds from now. */
export const inDays = (days: number, moreMs = 0): Date => new Date(Date.now() + days * DAY_MS + moreMs);

/** The expected error with this code. */
export const refused = (code: string): { code: string } => ({ code });

/** A client, one of its users with the accounts that can be opened, and a consent request. */
export async function consentScene(
  running: Running,
  { loginHint = 'private-dk', ...given }: { loginHint?: string; clientId?: string } = {},
) {
  const clientId = given.clientId ?? (await running.addTpp()).clientId;
  const user = (await running.listUsers(clientId)).users.find((each) => each.loginHint === loginHint)!;
  const { accounts } = await running.listUserAccounts(clientId, user.userId);
  const ask = (change: Partial<CreateConsentRequest> = {}): CreateConsentRequest =>
    CreateConsentRequest.fromPartial({
      consentId: randomUUID(),
      clientId,
      userId: user.userId,
      accountIds: accounts.map(({ accountId }) => accountId),
      roles: ['PSP_AI'],
      validUntil: inDays(90),
      ...change,
    });
  return { clientId, userId: user.userId, accounts, ask };
}

/** Sets the beginning of a consent to `granted` days ago, and its end to `ended` days ago. */
export async function age(
  { pool }: Running,
  consentId: string,
  { granted, ended }: { granted: number; ended?: number },
): Promise<void> {
  await pool.query(
    `UPDATE consent SET granted_at = now() - $2 * interval '1 day',
       valid_until = coalesce(now() - $3 * interval '1 day', valid_until) WHERE id = $1`,
    [consentId, granted, ended],
  );
}
