import type { IncomingHttpHeaders } from 'node:http';
import type { Db } from '../gen/db.ts';
import { requireFormToken, requireOwnForm } from '../user-session/form-token.ts';
import { completeLogin } from '../user-session/log-in-at-bank.ts';
import { sessionOfBankUser } from '../user-session/user-session.model.ts';
import { logIn } from '../user-session/user-session.ts';
import {
  type AuthorizationPages,
  identifiedPath,
  loginFor,
  type OpenedRequest,
  pathOf,
  proofOf,
} from './show-request.ts';

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
  const { token, user: userId = '', headers, now, signal } = options;
  requireOwnForm(headers, pages.userUrl);
  requireFormToken(token, proofOf(opened, 'user'));
  const { clientId } = opened.request;
  const users = await pages.userAuthentication.usersFor(clientId, signal);
  const user = users.find((each) => each.userId === userId);
  if (user === undefined) return { redirect: pathOf(opened, '/user') };
  const cookie = await logIn(pages.db, { headers, user: { clientId, userId: user.userId }, now });
  return { redirect: identifiedPath(opened, { userId: user.userId }), cookie };
}

/**
 * Learns from the bank who has logged in for a request, in this browser.
 * @returns where the request goes on, with the cookie of a session; undefined when nobody has
 * @throws ApiError UNAVAILABLE
 */
export async function identifyAtBank(
  { db, userAuthentication }: AuthorizationPages & { db: Db },
  opened: OpenedRequest,
  options: { code: string | undefined; headers: IncomingHttpHeaders; now: Date; signal: AbortSignal },
): Promise<{ redirect: string; cookie: string } | undefined> {
  const { code, headers, now, signal } = options;
  const { login } = userAuthentication;
  if (login === undefined || code === undefined) return undefined;
  const user = await completeLogin({ login }, { ...loginFor(opened), code, signal });
  if (user === undefined) return undefined;
  const { userId } = user;
  const cookie = await logIn(db, { headers, user: sessionOfBankUser(userId), now });
  return { redirect: identifiedPath(opened, { userId }), cookie };
}
