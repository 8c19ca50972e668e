import type { ConsentsServiceClient } from '@kontoport/proto/accounts/v1';
import { userAccounts } from '../accounts/user-accounts.ts';
import type { OpenedAccounts } from '../client-authentication/client-credentials.model.ts';
import type { AuthorizationKeys } from '../domain/authorization-keys.model.ts';
import type { AuthProfile } from '../domain/profile.model.ts';
import type { Db } from '../gen/db.ts';
import type { TokenIssuer } from './issue-token.ts';

/** What tokens need that a user authorized. */
export interface UserTokenIssuer extends TokenIssuer {
  db: Db;
  authorizationKeys: AuthorizationKeys;
  consents: ConsentsServiceClient;
  profile: AuthProfile;
}

/** What a consent opens, for the client that has it. @throws ApiError UNAVAILABLE. */
export async function openedAccounts(
  issuer: Pick<UserTokenIssuer, 'consents'>,
  options: {
    consent: {
      consentId: string;
      clientId: string;
      userId: string;
      accountIds: readonly string[];
      validUntil: Date;
    };
    signal: AbortSignal;
  },
): Promise<OpenedAccounts> {
  const { consent, signal } = options;
  const { consentId, clientId, userId, accountIds, validUntil } = consent;
  const accounts = await userAccounts(issuer, { clientId, userId, signal });
  return {
    consentId,
    validUntil,
    accounts: accounts.filter(({ accountId }) => accountIds.includes(accountId)),
  };
}
