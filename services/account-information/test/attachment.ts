import { randomUUID } from 'node:crypto';
import { AttachmentHead, type PutAttachmentRequest } from '@kontoport/proto/accounts/v1';

/** A small PDF. */
export const PDF = Buffer.from('%PDF-1.4\nhello\n%%EOF\n');

/** The messages of an upload, with the content in parts of half a MiB. */
export function attachment(
  head: Partial<AttachmentHead> & { accountId: string },
  content: Buffer = PDF,
): PutAttachmentRequest[] {
  const value = AttachmentHead.fromPartial({
    attachmentId: randomUUID(),
    name: 'Kvittering.pdf',
    mediaType: 'application/pdf',
    ...head,
  });
  const parts: PutAttachmentRequest[] = [{ part: { $case: 'head', value } }];
  for (let at = 0; at < content.length; at += 1 << 19)
    parts.push({ part: { $case: 'content', value: content.subarray(at, at + (1 << 19)) } });
  return parts;
}
