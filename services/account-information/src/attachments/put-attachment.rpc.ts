import type { ConcurrencyLimiter } from '@kontoport/fairness';
import { uploading } from '@kontoport/grpc';
import type { Logger } from '@kontoport/lifecycle';
import type {
  LedgerServiceServer,
  PutAttachmentRequest,
  PutAttachmentResponse,
} from '@kontoport/proto/accounts/v1';
import type { Db } from '../gen/db.ts';
import { putAttachment } from './put-attachment.ts';
import { readAttachment } from './put-attachment.wire.ts';

/** Handles `LedgerService.PutAttachment`: stores attachments that users added at the bank. */
export function putAttachmentRpc(deps: {
  logger: Logger;
  db: Db;
  uploads: ConcurrencyLimiter;
}): LedgerServiceServer['putAttachment'] {
  return uploading<PutAttachmentRequest, PutAttachmentResponse>(deps.logger, async (requests) =>
    deps.uploads.run('bank', async () => {
      const given = await readAttachment(requests);
      await putAttachment(deps, given);
      return { attachmentId: given.attachment.id };
    }),
  );
}
