import { call } from '@kontoport/grpc';
import type { Shown, UserContext } from '../user-session/user-context.ts';
import { endedPage } from './approval-pages.ts';
import { type ApprovalPages, openApproval } from './open-approval.ts';

/** The deadline for the bank's first answer. The user waits on a page for a later one. */
const DECIDE_DEADLINE_MS = 8_000;

/**
 * Approves or declines the payments that the page showed to the user.
 * @returns the page that leads back, or the page on which the user waits for the bank
 * @throws ApiError RESOURCE_UNKNOWN for an unknown link, and for the link of another user; UNAVAILABLE
 */
export async function answerApproval(
  pages: ApprovalPages,
  context: UserContext,
  answer: { approvalId: string; userId: string; decision: 'approve' | 'decline'; digest: string },
): Promise<Shown> {
  const { payments } = pages;
  const { language, signal } = context;
  const { userId } = answer;
  const { client, path } = await openApproval(pages, context, answer);
  const { standing } = await call(
    payments,
    payments.decide,
    { ...answer, language },
    { signal, deadlineMs: DECIDE_DEADLINE_MS },
  );
  if (standing === undefined || standing.status === 'AWAITING_APPROVAL')
    return { location: context.identifiedPath(path, userId, { answered: 'yes' }) };
  return endedPage({ language, client, standing, leaving: true });
}
