import { call } from '@kontoport/grpc';
import { type LedgerServiceClient, PutAccountRequest } from '@kontoport/proto/accounts/v1';
import { type BankAccount, findUser } from './users.ts';

/** Tells account-information of the bank's accounts; told again they stay as they are. @throws ApiError */
export async function seedAccounts(
  ledger: LedgerServiceClient,
  accounts: readonly BankAccount[],
): Promise<void> {
  for (const [position, account] of accounts.entries()) {
    const { openingBalance: value, currency, ...rest } = account;
    const request = PutAccountRequest.fromPartial({
      ...rest,
      currency,
      position,
      openingBalance: { value, currency },
      ownerName: findUser(account.userId)?.name ?? '',
      supportsPayments: true,
      supportsTransfers: true,
      usage: 'PRIVATE',
    });
    await call(ledger, ledger.putAccount, request);
  }
}
