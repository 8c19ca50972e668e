import { ApiError, rule } from '@kontoport/errors';
import { checkShape, uuid } from '@kontoport/http';
import type { PutAttachmentRequest } from '@kontoport/proto/accounts/v1';
import { z } from 'zod';
import { named, names } from '../ledger/entry.wire.ts';
import { LEDGER_TEXTS } from '../ledger/texts.ts';
import { type Attachment, isFileName, isOfType, MAX_BYTES, MEDIA_TYPES } from './attachment.model.ts';

const values = MEDIA_TYPES.join(', ');

const attachmentHead = z
  .object({
    ...names,
    attachmentId: uuid,
    name: z.string().refine(isFileName, rule(LEDGER_TEXTS('not-file-name'))),
    mediaType: z.enum(MEDIA_TYPES, rule(LEDGER_TEXTS('not-media-type', { values }))),
  })
  .transform(named);

/**
 * Reads an attachment from gRPC: the head, then the content in parts. It stops at the maximum size.
 * @throws ApiError FORMAT_ERROR
 */
export async function readAttachment(
  requests: AsyncIterable<PutAttachmentRequest>,
): Promise<{ attachment: Attachment; content: Buffer }> {
  let head: Omit<Attachment, 'size'> | undefined;
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const { part } of requests) {
    if ((part?.$case === 'head') !== (head === undefined))
      throw new ApiError('FORMAT_ERROR', LEDGER_TEXTS('head-first'));
    if (part?.$case === 'head') {
      const { attachmentId: id, ...rest } = checkShape(attachmentHead, part.value, 'body');
      head = { id, ...rest };
    } else if (part !== undefined) {
      size += part.value.length;
      if (size > MAX_BYTES)
        throw new ApiError('FORMAT_ERROR', LEDGER_TEXTS('attachment-too-large', { most: MAX_BYTES }));
      parts.push(part.value);
    }
  }
  if (head === undefined) throw new ApiError('FORMAT_ERROR', LEDGER_TEXTS('head-first'));
  if (size === 0) throw new ApiError('FORMAT_ERROR', LEDGER_TEXTS('attachment-empty'));
  const content = Buffer.concat(parts);
  if (!isOfType(content, head.mediaType)) {
    const text = LEDGER_TEXTS('not-media-type', { values });
    throw new ApiError('FORMAT_ERROR', text, { details: [{ path: 'mediaType', text }] });
  }
  return { attachment: { ...head, size }, content };
}
