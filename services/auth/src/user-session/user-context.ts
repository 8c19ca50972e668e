import type { IncomingHttpHeaders } from 'node:http';
import type { Language } from '@kontoport/errors';
import type { Page } from '@kontoport/pages';
import type { Db } from '../gen/db.ts';
import { type SignedForm, TOKEN_FIELD } from '../pages/form.ts';
import { Browser } from './browser.ts';
import { clearCookie, readCookie, setCookie } from './cookie.ts';
import { formToken, isFormToken } from './form-token.ts';
import { chooseUserPage, type ChooseUserReason } from './identification-pages.ts';
import type { BankLogin, BankUser, UserAuthentication } from './user-authentication.ts';
import { sessionOfBankUser, type UserSession } from './user-session.model.ts';
import { endSession, SESSION_COOKIE, startSession, useSession } from './user-session.ts';

/** Dependencies of every page of the bank's users. */
export interface UserPagesDeps {
  db: Db;
  userAuthentication: UserAuthentication;
  /** Holds the key of form tokens. @throws ApiError UNAVAILABLE before the keys were read. */
  keyRing: { readonly authorizationKeys: { forms: Uint8Array } };
  /** Base of the pages, as browsers reach it. */
  userUrl: string;
}

/** An answer to a browser: a page, or a redirect. */
export type Shown = Page | { location: string };

/** The question for the user of a page. */
export interface UserQuestion {
  /** The page that needs a user; the bank's login leads back to `/login` below it. */
  path: string;
  /** The form that submits the chosen simulated user. */
  choose: SignedForm;
  reason: ChooseUserReason;
  /** The client whose simulated users can be chosen. */
  clientId: string;
  /** Display name of the client; empty without a client. */
  client: string;
  language: Language;
  loginHint?: string | undefined;
  cancel?: SignedForm;
}

/**
 * The context of one request of a user's browser: its proven user, if any, and the tokens of its forms.
 * Every token is bound to the browser by its secret cookie, and to one action.
 */
export class UserContext {
  readonly language: Language;
  readonly now: Date;
  readonly signal: AbortSignal;
  /** The user that the address, the form or a required session proves. */
  userId: string | undefined;
  readonly #deps: UserPagesDeps;
  readonly #headers: IncomingHttpHeaders;
  readonly #browser: Browser;
  #session: Promise<UserSession | undefined> | undefined;
  #sessionCookie: string | undefined;

  constructor(
    deps: UserPagesDeps,
    request: { headers: IncomingHttpHeaders; language: Language; now: Date; signal: AbortSignal },
  ) {
    this.#deps = deps;
    this.#headers = request.headers;
    this.#browser = new Browser(request.headers);
    this.language = request.language;
    this.now = request.now;
    this.signal = request.signal;
  }

  /** The secret of this browser; a new one for a browser that sent none. */
  get browserKey(): string {
    return this.#browser.key();
  }

  /** The bank's login; undefined when simulated users are chosen by name. */
  get bankLogin(): BankLogin | undefined {
    return this.#deps.userAuthentication.login;
  }

  /** The cookies that the answer sets. */
  get cookies(): string[] {
    return [this.#browser.cookie, this.#sessionCookie].filter((cookie) => cookie !== undefined);
  }

  /** A form whose token covers its action, its fields, and `covered` beside them. */
  form(
    action: string,
    fields: Record<string, string> = {},
    covered: Record<string, string> = {},
  ): SignedForm {
    return { action, fields: { ...fields, [TOKEN_FIELD]: this.#token(action, { ...fields, ...covered }) } };
  }

  /** Checks that the token was made for this browser, the same action and the same covered values. */
  isToken(token: string, action: string, covered: Record<string, string>): boolean {
    return isFormToken(token, this.#token(action, covered));
  }

  /** The address of a page for an identified user; invalid in another browser. */
  identifiedPath(path: string, userId: string, more: Record<string, string> = {}): string {
    const proof = this.#token(path, { identified: userId });
    return `${path}?${new URLSearchParams({ user: userId, proof, ...more }).toString()}`;
  }

  /** Accepts the user of an address, if `identifiedPath` made it for this browser. */
  readAddress(path: string, { user = '', proof }: { user?: string | undefined; proof: string }): void {
    if (this.isToken(proof, path, { identified: user })) this.userId = user;
  }

  /** Finds the live session of this browser and restarts its idle time. */
  session(): Promise<UserSession | undefined> {
    const secret = readCookie(this.#headers, SESSION_COOKIE);
    this.#session ??=
      secret === undefined
        ? Promise.resolve(undefined)
        : useSession(this.#deps.db, { secret, now: this.now });
    return this.#session;
  }

  /** Finds the user with this id; undefined for one of another client. */
  findUser(user: { clientId: string; userId: string }): Promise<BankUser | undefined> {
    return this.#deps.userAuthentication.findUser(user, this.signal);
  }

  /** Asks for the user: on a page in the sandbox, at the bank's login in production. @throws ApiError UNAVAILABLE */
  async askUser(question: UserQuestion): Promise<Shown> {
    const { userAuthentication, userUrl } = this.#deps;
    const { path, clientId, client, language, loginHint = '' } = question;
    if (userAuthentication.login !== undefined) {
      const returnUrl = `${userUrl}${path}/login`;
      const login = { loginId: this.#loginId(path), returnUrl, clientName: client, language, loginHint };
      return { location: await userAuthentication.login.start(login, this.signal) };
    }
    return chooseUserPage({ ...question, users: await userAuthentication.usersFor(clientId, this.signal) });
  }

  /** Starts a session for a simulated user of the client. @returns undefined for any other user */
  async chooseUser(clientId: string, userId: string | undefined): Promise<string | undefined> {
    const users = await this.#deps.userAuthentication.usersFor(clientId, this.signal);
    const user = users.find((each) => each.userId === userId);
    if (user === undefined) return undefined;
    await this.#startSession({ clientId, userId: user.userId });
    return user.userId;
  }

  /**
   * Starts a session for the user that the bank has logged in for this page, in this browser.
   * @returns undefined when no user is signed in
   * @throws ApiError UNAVAILABLE
   */
  async completeLogin(path: string, code: string | undefined): Promise<string | undefined> {
    const { login } = this.#deps.userAuthentication;
    if (login === undefined || code === undefined || this.#browser.isNew) return undefined;
    const user = await login.complete({ loginId: this.#loginId(path), code }, this.signal);
    if (user === undefined) return undefined;
    await this.#startSession(sessionOfBankUser(user.userId));
    return user.userId;
  }

  /** Ends the session of this browser. */
  async logOut(): Promise<void> {
    await this.#endSession();
    this.#sessionCookie = clearCookie(SESSION_COOKIE);
  }

  /** Replaces the session of this browser: the new one has a secret of its own. */
  async #startSession(user: UserSession): Promise<void> {
    await this.#endSession();
    const secret = await startSession(this.#deps.db, { ...user, now: this.now });
    this.#sessionCookie = setCookie(SESSION_COOKIE, secret);
  }

  async #endSession(): Promise<void> {
    const secret = readCookie(this.#headers, SESSION_COOKIE);
    if (secret !== undefined) await endSession(this.#deps.db, { secret });
  }

  #token(action: string, covered: Record<string, string>): string {
    const { forms: key } = this.#deps.keyRing.authorizationKeys;
    const entries = Object.entries(covered).toSorted(([one], [other]) => (one < other ? -1 : 1));
    return formToken({ key, secret: this.browserKey, about: [action, ...entries.flat()] });
  }

  /** Identifies a login at the bank. A code of another browser or for another page belongs to another login. */
  #loginId(path: string): string {
    return formToken({ key: Buffer.from(this.browserKey), secret: 'login', about: [path] });
  }
}
