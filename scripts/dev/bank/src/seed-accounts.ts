import { call } from '@kontoport/grpc';
import { type LedgerServiceClient, PutAccountRequest } from '@kontoport/proto/accounts/v1';
import { type BankAccount, findUser } from './users.ts';

/** Puts the bank's accounts into account-information. Repetitions change nothing. @throws ApiError */
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
