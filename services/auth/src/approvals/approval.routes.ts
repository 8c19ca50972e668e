import { ApiError } from '@kontoport/errors';
import { call } from '@kontoport/grpc';
import { type Route, route } from '@kontoport/gate';
import type { Reply } from '@kontoport/http';
import type { ApprovalsServiceClient } from '@kontoport/proto/payments/v1';
import { approvalPage, PAGE_HEADERS } from './approval-page.ts';

/** The longest id that is worth asking for. */
const APPROVAL_ID = /^[A-Za-z0-9_-]{1,128}$/;

const UNKNOWN = page({
  status: 404,
  title: 'This approval link is not valid',
  text: 'It may be mistyped or no longer valid. Go back to the app or website that sent you here and start again.',
});

const UNAVAILABLE = page({
  status: 503,
  title: 'Approval is not possible right now',
  text: 'Nothing has been lost. Please wait a moment and load this page again.',
});

/**
 * The page behind a signing basket's authUrl, opened by the user's browser without client certificate. In the
 * sandbox the basket is approved already, and the page leads on to its redirectUrl (specification §4.4).
 */
export function approvalRoutes({ payments }: { payments: ApprovalsServiceClient }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/approvals/:approvalId',
      security: { kind: 'public' },
      handler: async ({ params, signal }) => {
        const approvalId = params.approvalId!;
        if (!APPROVAL_ID.test(approvalId)) return UNKNOWN;
        try {
          const { redirectUrl } = await call(payments, payments.getBasket, { approvalId }, { signal });
          return {
            status: 303,
            headers: PAGE_HEADERS,
            redirect: new URL(redirectUrl).href,
          };
        } catch (error) {
          return pageFor(error);
        }
      },
    }),
  ];
}

function pageFor(error: unknown): Reply {
  if (error instanceof ApiError && error.status === 404) return UNKNOWN;
  if (error instanceof ApiError && error.code === 'UNAVAILABLE')
    return {
      ...UNAVAILABLE,
      headers: { ...UNAVAILABLE.headers, 'retry-after': String(error.retryAfterSeconds) },
    };
  throw error;
}

function page({ status, ...words }: { status: number; title: string; text: string }): Reply & {
  headers: Record<string, string>;
} {
  return {
    status,
    headers: PAGE_HEADERS,
    html: approvalPage(words),
  };
}
