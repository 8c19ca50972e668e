import type { IncomingHttpHeaders } from 'node:http';
import { consentEnd } from '../domain/authorization-request.model.ts';
import type { Page } from '../pages/layout.ts';
import { requireFormToken, requireOwnForm } from '../user-session/form-token.ts';
import { approveAuthorization } from './approve-authorization.ts';
import { leavingPage } from './authorization-pages.ts';
import { refuseAuthorization } from './refuse-authorization.ts';
import { type AuthorizationPages, type OpenedRequest, proofOf } from './show-request.ts';

/** A submitted form: the token shows whose it is. */
export interface Submission {
  token: string;
  headers: IncomingHttpHeaders;
  now: Date;
  signal: AbortSignal;
}

/**
 * The user says yes, for the accounts that are chosen.
 * @returns the page that leads back; undefined where no account is chosen
 * @throws ApiError STATUS_INVALID for a form that is not ours, and for a request that was answered otherwise
 */
export async function approveRequest(
  pages: AuthorizationPages,
  opened: OpenedRequest,
  options: Submission & { userId: string; accountIds: readonly string[] },
): Promise<Page | undefined> {
  const { token, headers, userId, accountIds, now, signal } = options;
  const { request, client, language } = opened;
  requireOwnForm(headers, pages.userUrl);
  // Shown to the one who had said who they are, and to nobody else.
  requireFormToken(token, proofOf(opened, 'approve', userId));
  if (accountIds.length === 0) return undefined;
  const validUntil = consentEnd(request, now);
  const approval = { request, userId, accountIds, validUntil, now, signal };
  const { redirectUri } = await approveAuthorization(pages, approval);
  return leavingPage({ language, client, outcome: 'approved', redirectUri });
}

/** The user says no. @throws ApiError STATUS_INVALID for a form that is not ours, and when they have said yes */
export async function refuseRequest(
  pages: AuthorizationPages,
  opened: OpenedRequest,
  { token, headers, now }: Submission,
): Promise<Page> {
  requireOwnForm(headers, pages.userUrl);
  requireFormToken(token, proofOf(opened, 'refuse'));
  const { request, client, language } = opened;
  const { redirectUri } = await refuseAuthorization(pages, { request, error: 'access_denied', now });
  return leavingPage({ language, client, outcome: 'refused', redirectUri });
}
