import type { AccountData, Present } from '../accounts/account.model.ts';

/** The bank's own accounts: `LedgerService` stores them (§3.1), and a user's consent opens them. `ensure` creates nothing. */
export function createFedAccountData(): AccountData {
  return {
    ensure<Who extends { clientId: string }>(who: Who) {
      return who as Present<Who>;
    },
  };
}
