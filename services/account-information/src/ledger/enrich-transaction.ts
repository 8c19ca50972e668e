import { inTransaction } from '@kontoport/database';
import type { Db } from '../gen/db.ts';
import { enrich, type Enrichment } from './enrichment.model.ts';
import { requireKeptTransaction } from './kept-transaction.model.ts';
import { lockTransaction, replaceDetails } from './kept-transaction.repository.ts';

/**
 * Replaces what the bank tells anew of a transaction (§2.4); the same again changes nothing, and nobody is told.
 * @throws ApiError RESOURCE_UNKNOWN (no such transaction), STATUS_INVALID (refused or voided), FORMAT_ERROR
 */
export async function enrichTransaction(
  { db }: { db: Db },
  enrichment: Enrichment & { transactionId: string; accountId: string },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const kept = requireKeptTransaction(await lockTransaction(tx, enrichment), 'Enrich');
    await replaceDetails(tx, enrichment.transactionId, enrich(kept, enrichment));
  });
}
