import type { IncomingHttpHeaders } from 'node:http';
import type { Db } from '../gen/db.ts';
import { requireFormToken, requireOwnForm } from '../pages/form-proof.ts';
import {
  type AuthorizationPages,
  identifiedPath,
  type OpenedRequest,
  pathOf,
  proofOf,
  usersOf,
} from './show-request.ts';
import { logIn } from './user-session.ts';

/**
 * Takes it that the user of a request is the one who was chosen, and logs them in.
 * @returns where the request goes on, with the cookie of the session; without one for somebody who cannot be the user
 * @throws ApiError STATUS_INVALID for a form that is not ours
 */
export async function identifyUser(
  pages: AuthorizationPages & { db: Db },
  opened: OpenedRequest,
  options: {
    token: string;
    user: string | undefined;
    headers: IncomingHttpHeaders;
    now: Date;
    signal: AbortSignal;
  },
): Promise<{ redirect: string; cookie?: string }> {
  const { token, user: userId, headers, now, signal } = options;
  requireOwnForm(headers, pages.userUrl);
  requireFormToken(token, proofOf(opened, 'user'));
  const users = await usersOf(pages, opened, signal);
  const user = users.find((each) => each.userId === userId);
  if (user === undefined) return { redirect: pathOf(opened, '/user') };
  const { clientId } = opened.request;
  const cookie = await logIn(pages.db, { headers, user: { clientId, userId: user.userId }, now });
  return { redirect: identifiedPath(opened, { userId: user.userId }), cookie };
}
