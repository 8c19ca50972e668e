import { uuidBytes, uuidV5 } from '../uuid-v5.model.ts';

/** The bank's own name for a transaction, unique in its account: printable ASCII, no blank at its ends (ADR-0019). */
export const REFERENCE = /^[!-~](?:[ -~]{0,62}[!-~])?$/;

/** Derives the id from a reference: its UUID version 5 in the namespace of the account's id (ADR-0019). */
export function transactionIdOf({ accountId, reference }: { accountId: string; reference: string }): string {
  return uuidV5(uuidBytes(accountId), reference);
}
