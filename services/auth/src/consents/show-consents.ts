import type { ClientDirectory, DirectoryClient } from '@kontoport/client-directory';
import { call } from '@kontoport/grpc';
import type { Page } from '@kontoport/pages';
import type { Consent, ConsentsServiceClient } from '@kontoport/proto/accounts/v1';
import { userAccounts, USERS_DEADLINE_MS } from '../accounts/user-accounts.ts';
import { bidiIsolate } from '../pages/bidi-isolate.ts';
import type { Shown, UserContext, UserPagesDeps } from '../user-session/user-context.ts';
import type { UserSession } from '../user-session/user-session.model.ts';
import { clientUnknown, consentUnknown } from './consents-error-page.ts';
import { consentsPage, isLive, revokePage, type ShownConsent, signedOutPage } from './consents-pages.ts';

/** Dependencies of the pages of a user's consents. */
export interface ConsentPages extends UserPagesDeps {
  consents: ConsentsServiceClient;
  directory: ClientDirectory;
}

/** Requires a registered client. @throws ApiError RESOURCE_UNKNOWN */
export function requireClient(directory: ClientDirectory, clientId: string): DirectoryClient {
  const client = directory.find(clientId);
  if (client === undefined || client.deleted) throw clientUnknown();
  return client;
}

/**
 * Shows a user's consents. It asks for the user at the bank's login when there is no session, and in the sandbox when a
 * client is named.
 */
export async function showConsents(
  pages: ConsentPages,
  context: UserContext,
  {
    client_id: clientId,
    login_hint: loginHint,
  }: { client_id?: string | undefined; login_hint?: string | undefined },
): Promise<Shown> {
  const session = await context.session();
  const { bankLogin, language } = context;
  if (bankLogin === undefined && clientId !== undefined)
    return context.askUser(questionOf(pages, context, { clientId, loginHint }));
  if (session !== undefined) return showList(pages, context, session);
  return bankLogin === undefined ? signedOutPage(language) : context.askUser(questionOf(pages, context, {}));
}

function questionOf(
  { directory }: ConsentPages,
  context: UserContext,
  { clientId, loginHint }: { clientId?: string; loginHint?: string | undefined },
) {
  const client = clientId === undefined ? undefined : requireClient(directory, clientId);
  return {
    path: '/consents',
    choose: context.form('/consents/login', clientId === undefined ? {} : { client: clientId }),
    reason: 'choose-for-consents',
    clientId: clientId ?? '',
    client: client ? bidiIsolate(client.displayName) : '',
    language: context.language,
    loginHint,
  } as const;
}

async function showList(pages: ConsentPages, context: UserContext, session: UserSession): Promise<Page> {
  const { language, now } = context;
  const [consents, user] = await Promise.all([
    consentsOf(pages, context, session),
    context.findUser(session),
  ]);
  return consentsPage({
    language,
    user: bidiIsolate(user?.name ?? ''),
    consents,
    logOut: context.form('/consents/logout', {}, { user: session.userId }),
    now,
  });
}

/** Shows the page on which the user confirms a withdrawal. @throws ApiError RESOURCE_UNKNOWN for a foreign or ended consent */
export async function showRevocation(
  pages: ConsentPages,
  context: UserContext,
  consentId: string,
): Promise<Shown> {
  const { language, now } = context;
  const session = await context.session();
  if (session === undefined) return signedOutPage(language);
  const consents = await consentsOf(pages, context, session);
  const shown = consents.find(({ consent }) => consent.consentId === consentId && isLive(consent, now));
  if (shown === undefined) throw consentUnknown();
  return revokePage({
    language,
    shown,
    revoke: context.form(`/consents/${consentId}/revoke`, {}, { user: session.userId }),
    back: '/consents',
  });
}

/** Finds a user's consents, with the clients' names and the user's accounts. */
async function consentsOf(
  pages: ConsentPages,
  { signal }: UserContext,
  { clientId, userId }: UserSession,
): Promise<ShownConsent[]> {
  const { consents: service, directory } = pages;
  const options = { signal, deadlineMs: USERS_DEADLINE_MS };
  const [{ consents }, list] = await Promise.all([
    call(service, service.listConsentsOfUser, { userId }, options),
    userAccounts(pages, { clientId, userId, signal }),
  ]);
  const accounts = new Map(list.map((account) => [account.accountId, account]));
  const nameOf = (client: DirectoryClient | undefined): string | undefined =>
    client && !client.deleted ? bidiIsolate(client.displayName) : undefined;
  return consents.map((consent: Consent) => ({
    consent,
    accounts,
    client: nameOf(directory.find(consent.clientId)),
  }));
}
