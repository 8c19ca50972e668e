import type { AccountData, Present } from '../accounts/account.model.ts';

/** The bank's own accounts: LedgerService has brought them (§3.1), and a user's consent opens them; nothing has to be made. */
export function createFedAccountData(): AccountData {
  return {
    ensure<Who extends { clientId: string }>(who: Who) {
      return who as Present<Who>;
    },
  };
}
