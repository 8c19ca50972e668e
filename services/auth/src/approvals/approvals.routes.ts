import { type Route, route } from '@kontoport/gate';
import { call } from '@kontoport/grpc';
import { PAGE_HEADERS } from '@kontoport/http';
import type { ApprovalsServiceClient } from '@kontoport/proto/payments/v1';
import { z } from 'zod';
import { approvalErrorPage } from './approval-page.ts';

/** The longest id that is worth asking for. */
const approvalId = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);

/** The page behind a signing basket's authUrl, opened by the user's browser without client certificate (§4.4). */
export function approvalRoutes({ payments }: { payments: ApprovalsServiceClient }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/approvals/:approvalId',
      clause: ['§4.4', '§Sandbox'],
      summary: 'Open the approval of a basket',
      description:
        'In the sandbox the basket is approved already, and the browser goes on to its redirectUrl.',
      security: { kind: 'public' },
      errors: approvalErrorPage,
      params: z.object({ approvalId }),
      resource: ({ params, signal }) => call(payments, payments.getBasket, params, { signal }),
      answers: { 303: { description: "On to the basket's redirectUrl.", redirect: true } },
      handler: async ({ resource: { redirectUrl } }) => ({
        status: 303,
        headers: PAGE_HEADERS,
        redirect: new URL(redirectUrl).href,
      }),
    }),
  ];
}
