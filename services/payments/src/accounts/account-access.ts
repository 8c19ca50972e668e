import { ApiError } from '@kontoport/errors';
import { call } from '@kontoport/grpc';
import type { AccountAccessServiceClient } from '@kontoport/proto/accounts/v1';
import type { FindAccount } from '../domain/payment-types/payment-type.model.ts';

/** Asks AccountAccess of account-information. */
export function accountAccess(client: AccountAccessServiceClient): FindAccount {
  return async ({ clientId, consentId = '', accountId, signal }) => {
    try {
      const question = { clientId, consentId, accountId, role: 'PSP_PI' };
      const found = await call(client, client.getAccount, question, { signal });
      const { userId, bban, ownerName, currency, supportsPayments, supportsTransfers } = found;
      return { accountId, userId, bban, ownerName, currency, supportsPayments, supportsTransfers };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'RESOURCE_UNKNOWN') return undefined;
      throw error;
    }
  };
}
