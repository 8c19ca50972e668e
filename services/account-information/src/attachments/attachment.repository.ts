import type { Tx } from '@kontoport/database';
import type { PresentCaller } from '../accounts/account.model.ts';
import { isOpenTo, openTo } from '../accounts/account.repository.ts';
import type { Db } from '../gen/db.ts';
import type { Attachment, MediaType } from './attachment.model.ts';

/** The attachment and the transaction that a caller requests. */
export interface AttachmentRequest {
  caller: PresentCaller;
  accountId: string;
  transactionId: string;
  attachmentId: string;
}

/** The attachment, if the caller may read the account, and the transaction and the attachment belong to it. */
const OPEN_TO_CALLER = `FROM attachment CROSS JOIN LATERAL (
  SELECT account_id FROM transaction WHERE transaction.id = attachment.transaction_id AND refusal IS NULL OFFSET 0
) AS owner
WHERE attachment.id = $5::uuid AND attachment.transaction_id = $4::uuid AND owner.account_id = $1::uuid
  AND ${isOpenTo({ account: '$1', client: '$2', consent: '$3', role: '$6' })}`;

/** Finds an attachment, without its content. */
export async function findAttachment(db: Db, asked: AttachmentRequest): Promise<Attachment | undefined> {
  const { caller, accountId, transactionId, attachmentId: id } = asked;
  const access = { some: openTo(caller) };
  const found = await db.prisma.attachment.findUnique({
    where: { id, transactionId, transaction: { accountId, refusal: null, account: { access } } },
    select: { name: true, mediaType: true, size: true },
  });
  return found === null
    ? undefined
    : { ...found, id, transactionId, accountId, mediaType: found.mediaType as MediaType };
}

/**
 * Reads bytes of an attachment from an offset on: fewer at its end, none when the caller lost access. SQL (measured):
 * Prisma reads a value as a whole.
 */
export async function readPart(
  tx: Tx,
  asked: AttachmentRequest,
  { offset, bytes }: { offset: number; bytes: number },
): Promise<Uint8Array | undefined> {
  const { rows } = await tx.query<{ part: Buffer }>({
    name: 'attachment-part',
    text: `SELECT substring(content FROM $7::int + 1 FOR $8::int) AS part ${OPEN_TO_CALLER}`,
    values: [...valuesOf(asked), offset, bytes],
  });
  return rows[0]?.part;
}

/** Finds the stored attachment with an id, for comparison. SQL (lock): while its transaction is locked. */
export async function findStored(
  tx: Tx,
  attachmentId: string,
): Promise<(Pick<Attachment, 'transactionId' | 'name' | 'mediaType'> & { digest: Buffer }) | undefined> {
  const { rows } = await tx.query<{
    transaction_id: string;
    name: string;
    media_type: MediaType;
    digest: Buffer;
  }>({
    name: 'stored-attachment',
    text: 'SELECT transaction_id, name, media_type, digest FROM attachment WHERE id = $1',
    values: [attachmentId],
  });
  const [row] = rows;
  return (
    row && {
      transactionId: row.transaction_id,
      name: row.name,
      mediaType: row.media_type,
      digest: row.digest,
    }
  );
}

/** Adds an attachment. SQL (upsert): of two concurrent calls, the second returns false. @returns false when the id exists */
export async function insertAttachment(
  tx: Tx,
  { attachment, digest, content }: { attachment: Attachment; digest: Buffer; content: Buffer },
): Promise<boolean> {
  const { id, transactionId, name, mediaType, size } = attachment;
  const { rowCount } = await tx.query({
    name: 'insert-attachment',
    text: `INSERT INTO attachment (id, transaction_id, name, media_type, size, digest, content)
  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING`,
    values: [id, transactionId, name, mediaType, size, digest, content],
  });
  return rowCount === 1;
}

function valuesOf({ caller, accountId, transactionId, attachmentId }: AttachmentRequest): unknown[] {
  return [accountId, caller.clientId, caller.consentId, transactionId, attachmentId, caller.role];
}
