import { accountUnknown, type PresentCaller } from '../accounts/account.model.ts';
import type { Db } from '../gen/db.ts';
import type { Cursors } from './cursor.ts';
import { isoInstant, type PageRequest, type TransactionPage } from './transaction.model.ts';
import { selectTransactionPage } from './transaction.repository.ts';

/**
 * Reads a page of the V2 list (§4.3): all pending transactions, and the posted ones after the cursor. `nextCursor` is
 * present only when more posted ones exist.
 * @throws ApiError CURSOR_INVALID; RESOURCE_UNKNOWN when the account is unknown or not the caller's.
 */
export async function readTransactionPage(
  { db, cursors }: { db: Db; cursors: Cursors },
  { caller, accountId, request }: { caller: PresentCaller; accountId: string; request: PageRequest },
): Promise<TransactionPage & { nextCursor?: string }> {
  const { limit, from, to, cursor } = request;
  const sequence = { clientId: caller.clientId, accountId, limit, from, to };
  const after = cursor === undefined ? undefined : cursors.read(cursor, sequence);
  // One extra row shows whether there is another page.
  const page = await selectTransactionPage(db, { caller, accountId, from, to, after, rows: limit + 1 });
  if (page === undefined) throw accountUnknown();
  if (page.posted.length <= limit) return page;
  const posted = page.posted.slice(0, limit);
  const last = posted.at(-1)!;
  const end = { postingTime: isoInstant(last.posting_time!), id: last.id };
  return { ...page, posted, nextCursor: cursors.issue(end, sequence) };
}
