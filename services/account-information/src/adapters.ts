import type { AdapterTable } from '@kontoport/service';
import type { AccountData } from './account-data/account-data.ts';
import { createSandboxAccountData } from './account-data/sandbox/sandbox-account-data.ts';
import type { Db } from './db.ts';

/** The ports of account-information that have an implementation for each environment. */
export interface Adapters {
  /** Where the accounts of a client come from. */
  accountData: (options: { db: Db }) => AccountData;
}

/** What stands behind them. */
export const adapters: AdapterTable<Adapters> = {
  sandbox: { accountData: createSandboxAccountData },
  // The bank's own accounts: not built yet.
  production: { accountData: undefined },
};
