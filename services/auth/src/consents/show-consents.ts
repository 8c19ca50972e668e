import type { ClientDirectory, DirectoryClient } from '@kontoport/client-directory';
import type { Language } from '@kontoport/errors';
import { call } from '@kontoport/grpc';
import type { Consent, ConsentsServiceClient, UserAccount } from '@kontoport/proto/accounts/v1';
import { userAccounts } from '../accounts/user-accounts.ts';
import { chooseUserPage } from '../authorization/authorization-pages.ts';
import type { AuthorizationKeys } from '../domain/authorization-keys.model.ts';
import { USERS_DEADLINE_MS } from '../domain/authorization-request.model.ts';
import type { Db } from '../gen/db.ts';
import { apart } from '../pages/bidi-isolate.ts';
import { TOKEN_FIELD } from '../pages/form.ts';
import type { Page } from '../pages/layout.ts';
import { formToken } from '../user-session/form-token.ts';
import { startLogin } from '../user-session/log-in-at-bank.ts';
import type { UserAuthentication } from '../user-session/user-authentication.ts';
import type { LiveSession } from '../user-session/user-session.ts';
import { clientUnknown, consentUnknown } from './consents-error-page.ts';
import { consentsPage, isLive, revokePage, type ShownConsent } from './consents-pages.ts';

/** What the pages of a user's consents work with. */
export interface ConsentPages {
  db: Db;
  consents: ConsentsServiceClient;
  directory: ClientDirectory;
  userAuthentication: UserAuthentication;
  authorizationKeys: Pick<AuthorizationKeys, 'forms'>;
  /** Where our pages are. */
  userUrl: string;
}

/** What a page is made for. */
export interface Asked {
  language: Language;
  now: Date;
  signal: AbortSignal;
}

/** What a form of somebody who is logged in proves. */
export function proofOfSession(
  { authorizationKeys: { forms: key } }: Pick<ConsentPages, 'authorizationKeys'>,
  { secret }: LiveSession,
  ...about: ['log-out'] | ['revoke', consentId: string]
): string {
  return formToken({ key, secret, about });
}

/** What the form proves on which somebody logs in. */
export function proofOfLogin(
  { authorizationKeys: { forms: key } }: Pick<ConsentPages, 'authorizationKeys'>,
  { browserKey, clientId }: { browserKey: string; clientId: string },
): string {
  return formToken({ key, secret: browserKey, about: ['log-in', clientId] });
}

/** @throws ApiError RESOURCE_UNKNOWN when nobody is registered under the id. */
export function requireClient(directory: ClientDirectory, clientId: string): DirectoryClient {
  const client = directory.find(clientId);
  if (client === undefined || client.deleted) throw clientUnknown();
  return client;
}

/** Asks who it is that wants to see their consents: in the sandbox one of the users of a client. */
export async function showLogin(
  pages: ConsentPages,
  options: Asked & { clientId: string; loginHint: string | undefined; browserKey: string },
): Promise<Page> {
  const { directory, userAuthentication } = pages;
  const { clientId, loginHint, browserKey, language, signal } = options;
  const client = apart(requireClient(directory, clientId).displayName);
  return chooseUserPage({
    language,
    reason: 'choose-for-consents',
    client,
    users: await userAuthentication.usersFor(clientId, signal),
    preferred: loginHint,
    action: '/consents/login',
    fields: { [TOKEN_FIELD]: proofOfLogin(pages, { browserKey, clientId }), client: clientId },
  });
}

/** What a login for the consents is about. */
export const CONSENTS_LOGIN = ['consents'];

/**
 * Where the bank asks who it is that wants to see their consents; undefined where users are offered by name.
 * @throws ApiError UNAVAILABLE
 */
export async function loginForConsents(
  { userAuthentication, userUrl }: ConsentPages,
  { browserKey, language, signal }: { browserKey: string; language: Language; signal: AbortSignal },
): Promise<string | undefined> {
  const { login } = userAuthentication;
  if (login === undefined) return undefined;
  const purpose = { browserKey, about: CONSENTS_LOGIN };
  const words = { client: '', language, returnPath: '/consents/login', signal };
  return startLogin({ login, userUrl }, { ...purpose, ...words });
}

/** Shows what the user has agreed to. */
export async function showConsents(
  pages: ConsentPages,
  session: LiveSession,
  { language, now, signal }: Asked,
): Promise<Page> {
  const [consents, accounts, user] = await Promise.all([
    consentsOf(pages, session, signal),
    accountsById(pages, session, signal),
    pages.userAuthentication.findUser(session, signal),
  ]);
  return consentsPage({
    language,
    user: apart(user?.name ?? ''),
    consents: consents.map((consent) => shownAs(pages, consent, accounts)),
    logOut: {
      action: '/consents/logout',
      fields: { [TOKEN_FIELD]: proofOfSession(pages, session, 'log-out') },
    },
    now,
  });
}

/** Asks whether the user means to take a consent back. @throws ApiError RESOURCE_UNKNOWN for one that is not theirs or has ended */
export async function showRevocation(
  pages: ConsentPages,
  session: LiveSession,
  { consentId, language, now, signal }: Asked & { consentId: string },
): Promise<Page> {
  const [consents, accounts] = await Promise.all([
    consentsOf(pages, session, signal),
    accountsById(pages, session, signal),
  ]);
  const consent = consents.find((each) => each.consentId === consentId && isLive(each, now));
  if (consent === undefined) throw consentUnknown();
  return revokePage({
    language,
    shown: shownAs(pages, consent, accounts),
    action: `/consents/${consentId}/revoke`,
    fields: { [TOKEN_FIELD]: proofOfSession(pages, session, 'revoke', consentId) },
    back: '/consents',
  });
}

async function consentsOf(
  { consents: service }: ConsentPages,
  { userId }: LiveSession,
  signal: AbortSignal,
): Promise<Consent[]> {
  const options = { signal, deadlineMs: USERS_DEADLINE_MS };
  const { consents } = await call(service, service.listConsentsOfUser, { userId }, options);
  return consents;
}

async function accountsById(
  pages: ConsentPages,
  { clientId, userId }: LiveSession,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, UserAccount>> {
  const accounts = await userAccounts(pages, { clientId, userId, signal });
  return new Map(accounts.map((account) => [account.accountId, account]));
}

function shownAs(
  { directory }: ConsentPages,
  consent: Consent,
  accounts: ShownConsent['accounts'],
): ShownConsent {
  const client = directory.find(consent.clientId);
  return { consent, accounts, client: client && !client.deleted ? apart(client.displayName) : undefined };
}
