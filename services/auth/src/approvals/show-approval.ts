import type { IncomingHttpHeaders } from 'node:http';
import type { ClientDirectory } from '@kontoport/client-directory';
import type { Language } from '@kontoport/errors';
import { call } from '@kontoport/grpc';
import type { ApprovalsServiceClient, GetApprovalResponse } from '@kontoport/proto/payments/v1';
import { chooseUserPage } from '../authorization/authorization-pages.ts';
import type { AuthorizationKeys } from '../domain/authorization-keys.model.ts';
import { apart } from '../pages/bidi-isolate.ts';
import { TOKEN_FIELD } from '../pages/form.ts';
import type { Page } from '../pages/layout.ts';
import { browserKeyCookie, newBrowserKey, readBrowserKey } from '../user-session/browser-key.ts';
import { formToken, isFormToken } from '../user-session/form-token.ts';
import { startLogin } from '../user-session/log-in-at-bank.ts';
import type { UserAuthentication } from '../user-session/user-authentication.ts';
import { approvalUnknown } from './approval-error-page.ts';
import { approvalPage, endedPage, waitingPage } from './approval-pages.ts';

/** What the pages of an approval work with. */
export interface ApprovalPages {
  payments: ApprovalsServiceClient;
  directory: ClientDirectory;
  userAuthentication: UserAuthentication;
  authorizationKeys: Pick<AuthorizationKeys, 'forms'>;
  /** Where our pages are. */
  userUrl: string;
}

/** Who opened which link, and how. */
export interface Opening {
  approvalId: string;
  headers: IncomingHttpHeaders;
  language: Language;
  signal: AbortSignal;
}

/** An approval as the browser that opened it may see it. */
export interface OpenedApproval extends Omit<Opening, 'headers'> {
  approval: GetApprovalResponse;
  /** Display name of the client, or its id where this replica has not heard of it yet. */
  client: string;
  browserKey: string;
  /** Makes what its forms and addresses prove. */
  formsKey: Uint8Array;
  /** For a browser that had no key. */
  cookie: Record<string, string>;
}

/** What a browser is answered: a page, or that it goes on. */
export type Shown = (Page | { location: string }) & { cookie: Record<string, string> };

/**
 * Looks up what a link is about.
 * @param userId who has said who they are; undefined: nobody has, and nothing of accounts and payments is told
 * @throws ApiError RESOURCE_UNKNOWN for a link that is none for this user; UNAVAILABLE
 */
export async function openApproval(
  { payments, directory, authorizationKeys }: ApprovalPages,
  { headers, ...opening }: Opening,
  userId: string | undefined,
): Promise<OpenedApproval> {
  const { approvalId, signal } = opening;
  const question = { approvalId, userId: userId ?? '' };
  const approval = await call(payments, payments.getApproval, question, { signal });
  const client = directory.find(approval.clientId);
  if (client?.deleted) throw approvalUnknown();
  const known = readBrowserKey(headers);
  const browserKey = known ?? newBrowserKey();
  const cookie: Record<string, string> = known ? {} : { 'set-cookie': browserKeyCookie(browserKey) };
  return {
    ...opening,
    approval,
    client: apart(client?.displayName ?? approval.clientId),
    browserKey,
    formsKey: authorizationKeys.forms,
    cookie,
  };
}

/** What is needed to prove something about an approval in a browser. */
export type Proving = Pick<OpenedApproval, 'browserKey' | 'formsKey' | 'approvalId'>;

/** What one of an approval's forms or addresses proves; a yes or no is to what was shown. */
export function proofOf(
  { browserKey, formsKey: key, approvalId }: Proving,
  step: 'user' | 'identified' | 'approve' | 'decline',
  userId = '',
  digest = '',
): string {
  const about = ['approval', step, approvalId, userId, digest];
  return formToken({ key, secret: browserKey, about });
}

/** The address of an approval, or of a step of it. */
export function pathOf(
  { approvalId }: Pick<OpenedApproval, 'approvalId'>,
  step: '' | '/user' | '/login' | '/approve' | '/decline' = '',
): string {
  return `/approvals/${approvalId}${step}`;
}

/**
 * Where the one who has said who they are goes on; without the browser's key the address is worth nothing.
 * @param answered whether they have just answered, and are taken back by themselves
 */
export function identifiedPath(
  opened: Proving,
  { userId, answered = false }: { userId: string; answered?: boolean },
): string {
  const query = new URLSearchParams({ user: userId, proof: proofOf(opened, 'identified', userId) });
  if (answered) query.set('answered', 'yes');
  return `${pathOf(opened)}?${query.toString()}`;
}

/** For what somebody logs in who is to answer. */
export function loginFor({ browserKey, approvalId }: Pick<OpenedApproval, 'browserKey' | 'approvalId'>): {
  browserKey: string;
  about: string[];
} {
  return { browserKey, about: ['approval', approvalId] };
}

/** The user whom an address names, as far as this browser has proven it. */
export function provenUser(
  { authorizationKeys: { forms: formsKey } }: ApprovalPages,
  { approvalId, headers }: Pick<Opening, 'approvalId' | 'headers'>,
  { user: userId = '', proof = '' }: { user?: string | undefined; proof?: string | undefined },
): string | undefined {
  const browserKey = readBrowserKey(headers);
  if (browserKey === undefined) return undefined;
  const expected = proofOf({ browserKey, formsKey, approvalId }, 'identified', userId);
  return isFormToken(proof, expected) ? userId : undefined;
}

/** The page of an approval: what is asked, how that stands, or who the user is. */
export async function showApproval(
  pages: ApprovalPages,
  opening: Opening,
  query: { user?: string | undefined; proof?: string | undefined; answered?: 'yes' | undefined },
): Promise<Shown> {
  const userId = provenUser(pages, opening, query);
  const opened = await openApproval(pages, opening, userId);
  const { approval, client, language, cookie } = opened;
  const { isAsked, standing } = approval;
  if (standing === undefined) throw approvalUnknown();
  if (standing.status !== 'AWAITING_APPROVAL') {
    // In the sandbox nobody was asked, and nobody has to read anything.
    if (!isAsked) return { location: new URL(standing.returnUrl).href, cookie: {} };
    return { ...endedPage({ language, client, standing, leaving: query.answered !== undefined }), cookie };
  }
  const shown = userId === undefined ? undefined : await showContent(pages, opened, userId);
  return shown ?? showUsers(pages, opened);
}

/** What the one who is asked reads; undefined where nobody knows them any more. */
async function showContent(
  { userAuthentication }: ApprovalPages,
  opened: OpenedApproval,
  userId: string,
): Promise<Shown | undefined> {
  const { approval, client, language, cookie, signal } = opened;
  const { clientId, content, expiresAt, standing, approvalUrl } = approval;
  if (content === undefined || expiresAt === undefined) throw approvalUnknown();
  if (standing?.isAnswered) {
    const path = identifiedPath(opened, { userId, answered: true });
    return { ...waitingPage({ language, client, path, approvalUrl }), cookie };
  }
  const user = await userAuthentication.findUser({ clientId, userId }, signal);
  if (user === undefined) return undefined;
  const { digest } = content;
  const answer = (step: 'approve' | 'decline') => ({
    action: pathOf(opened, `/${step}`),
    fields: { [TOKEN_FIELD]: proofOf(opened, step, userId, digest), user: userId, digest },
  });
  const page = approvalPage({
    language,
    client,
    user: user.name,
    otherUser: pathOf(opened, '/user'),
    content,
    expiresAt,
    approve: answer('approve'),
    decline: answer('decline'),
  });
  return { ...page, cookie };
}

/** Asks who the user is, or has the bank ask. */
export async function showUsers(pages: ApprovalPages, opened: OpenedApproval): Promise<Shown> {
  const { approval, client, language, cookie, signal } = opened;
  const { userAuthentication, userUrl } = pages;
  const { login } = userAuthentication;
  if (login !== undefined) {
    const words = { client, language, returnPath: pathOf(opened, '/login'), signal };
    return { location: await startLogin({ login, userUrl }, { ...loginFor(opened), ...words }), cookie };
  }
  const page = chooseUserPage({
    language,
    reason: 'choose-sandbox',
    client,
    users: await userAuthentication.usersFor(approval.clientId, signal),
    preferred: undefined,
    action: pathOf(opened, '/user'),
    fields: { [TOKEN_FIELD]: proofOf(opened, 'user') },
  });
  return { ...page, cookie };
}
