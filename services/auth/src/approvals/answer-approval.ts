import { call } from '@kontoport/grpc';
import type { Page } from '../pages/layout.ts';
import { newBrowserKey, readBrowserKey } from '../user-session/browser-key.ts';
import { requireFormToken, requireOwnForm } from '../user-session/form-token.ts';
import { completeLogin } from '../user-session/log-in-at-bank.ts';
import { endedPage } from './approval-pages.ts';
import {
  type ApprovalPages,
  identifiedPath,
  loginFor,
  openApproval,
  type Opening,
  pathOf,
  proofOf,
  type Proving,
} from './show-approval.ts';

/** The bank is asked within it; what takes longer is waited for on a page. */
const DECIDE_DEADLINE_MS = 8_000;

/**
 * The user says yes or no to what was shown.
 * @returns the page that leads back, or where the user waits for the bank
 * @throws ApiError STATUS_INVALID for a form that is not ours; RESOURCE_UNKNOWN for a link that is none for this user
 */
export async function answerApproval(
  pages: ApprovalPages,
  opening: Opening,
  said: { decision: 'approve' | 'decline'; token: string; user: string; digest: string },
): Promise<Page | { location: string }> {
  const { decision, token, user: userId, digest } = said;
  const { approvalId, headers, language, signal } = opening;
  requireOwnForm(headers, pages.userUrl);
  const proving = provingOf(pages, opening);
  requireFormToken(token, proofOf(proving, decision, userId, digest));
  const { client } = await openApproval(pages, opening, userId);
  const { payments } = pages;
  const { standing } = await call(
    payments,
    payments.decide,
    { approvalId, userId, decision, digest, language },
    { signal, deadlineMs: DECIDE_DEADLINE_MS },
  );
  if (standing === undefined || standing.status === 'AWAITING_APPROVAL')
    return { location: identifiedPath(proving, { userId, answered: true }) };
  return endedPage({ language, client, standing, leaving: true });
}

/**
 * Takes it that the user is the one who was chosen.
 * @returns where the approval goes on
 * @throws ApiError STATUS_INVALID for a form that is not ours
 */
export async function identifyUser(
  pages: ApprovalPages,
  opening: Opening,
  { token, user: userId = '' }: { token: string; user?: string | undefined },
): Promise<string> {
  const { headers, signal } = opening;
  requireOwnForm(headers, pages.userUrl);
  const proving = provingOf(pages, opening);
  requireFormToken(token, proofOf(proving, 'user'));
  const { approval } = await openApproval(pages, opening, undefined);
  const users = await pages.userAuthentication.usersFor(approval.clientId, signal);
  if (!users.some((each) => each.userId === userId)) return pathOf(opening, '/user');
  return identifiedPath(proving, { userId });
}

/**
 * Learns from the bank who has logged in for an approval, in this browser.
 * @returns where the approval goes on; undefined when nobody has
 * @throws ApiError UNAVAILABLE
 */
export async function identifyAtBank(
  { userAuthentication, authorizationKeys: { forms: formsKey } }: ApprovalPages,
  { approvalId, headers, signal }: Opening,
  code: string | undefined,
): Promise<string | undefined> {
  const { login } = userAuthentication;
  const browserKey = readBrowserKey(headers);
  if (login === undefined || code === undefined || browserKey === undefined) return undefined;
  const purpose = loginFor({ browserKey, approvalId });
  const user = await completeLogin({ login }, { ...purpose, code, signal });
  return user && identifiedPath({ browserKey, formsKey, approvalId }, { userId: user.userId });
}

/** Of the browser that sends a form; one without key proves nothing. */
function provingOf({ authorizationKeys }: ApprovalPages, { approvalId, headers }: Opening): Proving {
  const browserKey = readBrowserKey(headers) ?? newBrowserKey();
  return { browserKey, formsKey: authorizationKeys.forms, approvalId };
}
