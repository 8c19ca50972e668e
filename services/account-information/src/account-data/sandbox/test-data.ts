import { HISTORIES } from './histories.ts';
import { SANDBOX_IDS, SANDBOX_NAMESPACE } from './sandbox-ids.ts';
import { SANDBOX_USERS } from './users.ts';

/** The test data of an organization, for docs/sandbox.md, from the tables of the simulated bank. */
export function testData(organization: string) {
  const users = SANDBOX_USERS.map(({ key, name, loginHint, accounts, jointAccounts = [] }) => ({
    key,
    name,
    loginHint,
    jointAccounts,
    id: SANDBOX_IDS.user(organization, key),
    accounts: accounts.map((account) => ({
      key: account.key,
      id: SANDBOX_IDS.account(organization, account.key),
      name: account.name,
      type: account.type,
      currency: account.currency,
      bban: account.number.bban,
      iban: account.hidesIban ? undefined : account.number.iban,
      supportsPayments: account.supportsPayments,
      transactions: transactionsOf(account.key).map((transaction) => ({
        ...transaction,
        id: SANDBOX_IDS.transaction(organization, account.key, transaction.key),
      })),
    })),
  }));
  return { namespace: SANDBOX_NAMESPACE, users };
}

function transactionsOf(account: string) {
  const { posted, unposted, bulk = [] } = HISTORIES[account]!;
  return [
    ...unposted.map(({ key, title, status }) => ({ key, title, status: status as string, times: 1 })),
    ...[posted, bulk].flat().map(({ key, title, rhythm: [times] }) => ({
      key: `${key}-1`,
      title,
      status: 'financial',
      times,
    })),
  ];
}
