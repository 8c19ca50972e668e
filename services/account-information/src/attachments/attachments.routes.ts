import { type Route, route } from '@kontoport/gate';
import { uuid } from '@kontoport/http';
import { z } from 'zod';
import { type AccountData, callerOf } from '../accounts/account.model.ts';
import { attachmentUnknown, dispositionOf, MEDIA_TYPES } from './attachment.model.ts';
import { downloadAttachment } from './download-attachment.ts';

/** `GET /accounts/{accountId}/transactions/{transactionId}/attachments/{attachmentId}` (§4.3). */
export function attachmentsRoutes(
  deps: { accountData: AccountData } & Parameters<typeof downloadAttachment>[0],
): Route[] {
  return [
    route({
      method: 'GET',
      path: '/accounts/:accountId/transactions/:transactionId/attachments/:attachmentId',
      clause: ['§4.3', '§2.4', '§5.4'],
      summary: 'Download an attachment of a transaction',
      description:
        'The ids are in `attachmentIds`. A file has at most 10,000,000 bytes. An organization downloads eight at a time; ' +
        'a further request is rejected with 503 and Retry-After. An answer shorter than Content-Length was interrupted.',
      security: { kind: 'token', scope: 'PSP_AI' },
      params: z.object({ accountId: uuid, transactionId: uuid, attachmentId: uuid }),
      unknown: attachmentUnknown,
      answers: {
        200: {
          description: 'The file.',
          bytes: MEDIA_TYPES,
          headers: {
            'Content-Disposition': 'The name of the file, in ASCII and in UTF-8 (RFC 6266).',
            'X-Content-Type-Options': 'nosniff',
          },
        },
      },
      refusals: ['RESOURCE_UNKNOWN'],
      handler: async ({ principal: { token }, params }) => {
        const caller = await deps.accountData.ensure(callerOf(token, 'PSP_AI'));
        const { attachment, parts, done } = await downloadAttachment(deps, { caller, ...params });
        return {
          status: 200,
          type: attachment.mediaType,
          length: attachment.size,
          headers: {
            'content-disposition': dispositionOf(attachment.name),
            // A browser that displays the content executes none of it.
            'content-security-policy': "default-src 'none'; sandbox",
          },
          parts,
          delivered: done,
        };
      },
    }),
  ];
}
