import type { ConcurrencyLimiter } from '@kontoport/fairness';
import type { Db } from '../gen/db.ts';
import { type Attachment, attachmentUnknown } from './attachment.model.ts';
import { type AttachmentRequest, findAttachment, readPart } from './attachment.repository.ts';

/** Bytes of a part. */
const PART_BYTES = 256 * 1024;

/**
 * Finds an attachment and sends its content in parts. No connection is held between parts, and each part checks access
 * again. The download occupies one place of the organization in the limiter until the caller calls `done`.
 * @throws ApiError RESOURCE_UNKNOWN; UNAVAILABLE when too many downloads are in progress
 */
export async function downloadAttachment(
  {
    db,
    downloads,
    organizationOf,
  }: { db: Db; downloads: ConcurrencyLimiter; organizationOf: (clientId: string) => string },
  asked: AttachmentRequest,
): Promise<{ attachment: Attachment; parts: AsyncIterable<Uint8Array>; done: () => void }> {
  const attachment = await findAttachment(db, asked);
  if (attachment === undefined) throw attachmentUnknown();
  const done = downloads.acquire(organizationOf(asked.caller.clientId));
  return { attachment, parts: partsOf(db, { asked, size: attachment.size }), done };
}

async function* partsOf(
  db: Db,
  { asked, size }: { asked: AttachmentRequest; size: number },
): AsyncIterable<Uint8Array> {
  for (let offset = 0; offset < size; offset += PART_BYTES) {
    const part = await readPart(db, asked, { offset, bytes: PART_BYTES });
    if (part === undefined) throw attachmentUnknown();
    yield part;
  }
}
