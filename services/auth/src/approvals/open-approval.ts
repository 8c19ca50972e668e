import type { ClientDirectory } from '@kontoport/client-directory';
import { ApiError } from '@kontoport/errors';
import { call } from '@kontoport/grpc';
import type { ApprovalsServiceClient, GetApprovalResponse } from '@kontoport/proto/payments/v1';
import { bidiIsolate } from '../pages/bidi-isolate.ts';
import type { UserContext, UserPagesDeps, UserQuestion } from '../user-session/user-context.ts';
import { approvalUnknown } from './approval-error-page.ts';

/** Dependencies of the pages of an approval. */
export interface ApprovalPages extends UserPagesDeps {
  payments: ApprovalsServiceClient;
  directory: ClientDirectory;
}

/** An approval as its user may see it. */
export interface OpenedApproval {
  approval: GetApprovalResponse;
  /** The address of its page. */
  path: string;
  /** Display name of the client, or its id while this replica does not know it. */
  client: string;
  /** From the certificate with which the client registered; undefined while this replica does not know it. */
  organizationIdentifier: string | undefined;
  /** The identified user; undefined: payments returned no accounts and payments. */
  userId: string | undefined;
}

/**
 * Looks an approval up.
 * @param options.userId the identified user, if any
 * @throws ApiError RESOURCE_UNKNOWN for an unknown link, and for the link of another user; UNAVAILABLE
 */
export async function openApproval(
  { payments, directory }: ApprovalPages,
  { signal }: UserContext,
  { approvalId, userId }: { approvalId: string; userId?: string | undefined },
): Promise<OpenedApproval> {
  const question = { approvalId, userId: userId ?? '' };
  const approval = await call(payments, payments.getApproval, question, { signal });
  const client = directory.find(approval.clientId);
  if (client?.deleted) throw approvalUnknown();
  const name = bidiIsolate(client?.displayName ?? approval.clientId);
  return {
    approval,
    path: `/approvals/${approvalId}`,
    client: name,
    organizationIdentifier: client?.organizationIdentifier,
    userId,
  };
}

/**
 * Looks an approval up for the user of the address, or else of a live session in this browser. A new login is not needed,
 * because the bank authenticates the user for each payment. If the session is another user's, the approval opens without a
 * user, and the page asks for the user.
 * @throws ApiError as `openApproval`
 */
export async function openForUser(
  pages: ApprovalPages,
  context: UserContext,
  approvalId: string,
): Promise<OpenedApproval> {
  const { userId } = context;
  const session = userId === undefined ? await context.session() : undefined;
  if (session === undefined) return openApproval(pages, context, { approvalId, userId });
  try {
    return await openApproval(pages, context, { approvalId, userId: session.userId });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return openApproval(pages, context, { approvalId });
  }
}

/** Makes the question for the user of an approval. */
export function questionOf(context: UserContext, { approval, path, client }: OpenedApproval): UserQuestion {
  const { clientId } = approval;
  const { language } = context;
  return { path, choose: context.form(`${path}/user`), reason: 'choose-sandbox', clientId, client, language };
}
