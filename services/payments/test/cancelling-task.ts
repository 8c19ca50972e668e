/** What the worker of cancel-crash.test.ts is to do. */
export interface CancellingTask {
  /** Of the database. */
  url: string;
  /** Of the ledger. */
  bankPort: number;
  clientId: string;
  /** Approved drafts, which it settles and cancels. */
  draftIds: readonly string[];
  /** Milliseconds after which a claim counts as lost. */
  leaseMs: number;
}
