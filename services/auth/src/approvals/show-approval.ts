import type { Shown, UserContext } from '../user-session/user-context.ts';
import { approvalUnknown } from './approval-error-page.ts';
import { approvalPage, endedPage, waitingPage } from './approval-pages.ts';
import { type ApprovalPages, type OpenedApproval, openForUser, questionOf } from './open-approval.ts';

/**
 * Shows an approval: the request, its result, or the page that identifies the user.
 * @param options.isAnswered the user has just answered, and returns without a click
 */
export async function showApproval(
  pages: ApprovalPages,
  context: UserContext,
  { approvalId, isAnswered }: { approvalId: string; isAnswered: boolean },
): Promise<Shown> {
  const opened = await openForUser(pages, context, approvalId);
  const { language } = context;
  const { client, approval, path } = opened;
  const { isAsked, standing } = approval;
  if (standing === undefined) throw approvalUnknown();
  if (standing.status !== 'AWAITING_APPROVAL') {
    // The sandbox's users mostly answer without a page.
    if (!isAsked) return { location: new URL(standing.returnUrl).href };
    return endedPage({ language, client, standing, leaving: isAnswered });
  }
  if (!isAsked) return waitingPage({ language, client, path, approvalUrl: '' });
  return (await showContent(context, opened)) ?? context.askUser(questionOf(context, opened));
}

/** Shows the content of an approval; undefined without an identified user. */
async function showContent(context: UserContext, opened: OpenedApproval): Promise<Shown | undefined> {
  const { approval, path, client, organizationIdentifier, userId } = opened;
  const { clientId, content, expiresAt, standing, approvalUrl } = approval;
  const { language } = context;
  if (userId === undefined) return undefined;
  if (content === undefined || expiresAt === undefined) throw approvalUnknown();
  if (standing?.isAnswered) {
    const waiting = context.identifiedPath(path, userId, { answered: 'yes' });
    return waitingPage({ language, client, path: waiting, approvalUrl });
  }
  const user = await context.findUser({ clientId, userId });
  if (user === undefined) return undefined;
  const fields = { user: userId, digest: content.digest };
  return approvalPage({
    language,
    client,
    organizationIdentifier,
    user: user.name,
    path,
    content,
    expiresAt,
    approve: context.form(`${path}/approve`, fields),
    decline: context.form(`${path}/decline`, fields),
  });
}
