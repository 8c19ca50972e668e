import type { Db } from '../gen/db.ts';
import type { Places } from '../places.ts';
import { type Attachment, attachmentUnknown } from './attachment.model.ts';
import { type AttachmentRequest, findAttachment, readPart } from './attachment.repository.ts';

/** What of an attachment is in memory at a time. */
const PART_BYTES = 256 * 1024;

/**
 * Finds an attachment, whose content is then read part by part as it is taken: no connection is held, and the caller
 * must still have access at each. It takes a place of the organization until `done`.
 * @throws ApiError RESOURCE_UNKNOWN; UNAVAILABLE when too many are under way
 */
export async function downloadAttachment(
  {
    db,
    downloads,
    organizationOf,
  }: { db: Db; downloads: Places; organizationOf: (clientId: string) => string },
  asked: AttachmentRequest,
): Promise<{ attachment: Attachment; parts: AsyncIterable<Uint8Array>; done: () => void }> {
  const attachment = await findAttachment(db, asked);
  if (attachment === undefined) throw attachmentUnknown();
  const done = downloads.take(organizationOf(asked.caller.clientId));
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
