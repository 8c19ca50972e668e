import { createHash } from 'node:crypto';
import { inTransaction } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import type { Db } from '../gen/db.ts';
import { requireStoredTransaction } from '../ledger/stored-transaction.model.ts';
import { lockTransactions, replaceDetails } from '../ledger/stored-transaction.repository.ts';
import { LEDGER_TEXTS } from '../ledger/texts.ts';
import type { Attachment } from './attachment.model.ts';
import { findStored, insertAttachment } from './attachment.repository.ts';

const MAX_OF_TRANSACTION = 20;

/**
 * Stores an attachment and adds its id to the transaction, in one database transaction; a repetition changes nothing.
 * @throws ApiError RESOURCE_UNKNOWN (no such transaction), STATUS_INVALID (refused, voided, or 20 of them),
 *   DUPLICATE_ID (another attachment has the id)
 */
export async function putAttachment(
  { db }: { db: Db },
  { attachment, content }: { attachment: Attachment; content: Buffer },
): Promise<void> {
  const digest = createHash('sha256').update(content).digest();
  await inTransaction(db, async (tx) => {
    const { transactionId, accountId } = attachment;
    const found = (await lockTransactions(tx, [transactionId])).get(transactionId);
    const own = found?.accountId === accountId ? found : undefined;
    const { title, original, details } = requireStoredTransaction(own, 'PutAttachment');
    const { attachmentIds = [] } = details;
    const stored = await findStored(tx, attachment.id);
    if (stored !== undefined) {
      const same =
        stored.transactionId === attachment.transactionId &&
        stored.name === attachment.name &&
        stored.mediaType === attachment.mediaType &&
        stored.digest.equals(digest);
      if (!same) throw new ApiError('DUPLICATE_ID', LEDGER_TEXTS('attachment-differs'));
      return;
    }
    if (attachmentIds.length >= MAX_OF_TRANSACTION)
      throw new ApiError(
        'STATUS_INVALID',
        LEDGER_TEXTS('too-many-attachments', { most: MAX_OF_TRANSACTION }),
      );
    if (!(await insertAttachment(tx, { attachment, digest, content })))
      throw new ApiError('DUPLICATE_ID', LEDGER_TEXTS('attachment-differs'));
    const update = {
      title,
      original,
      details: { ...details, attachmentIds: [...attachmentIds, attachment.id] },
    };
    await replaceDetails(tx, new Map([[transactionId, update]]));
  });
}
