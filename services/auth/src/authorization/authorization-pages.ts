import type { Role } from '@kontoport/certificates';
import type { Language } from '@kontoport/errors';
import type { UserAccount } from '@kontoport/proto/accounts/v1';
import { writtenAccountNumber } from '../accounts/account-number.model.ts';
import { CONSENT_TEXTS as TEXTS } from '../consents/texts.ts';
import { apart } from '../pages/bidi-isolate.ts';
import { writtenDay } from '../pages/date.ts';
import { choice, form, formFault, TOKEN_FIELD } from '../pages/form.ts';
import { html, type Html } from '../pages/html.ts';
import type { Page } from '../pages/layout.ts';
import type { BankUser } from '../user-session/user-authentication.ts';

/** The name of an account's checkbox begins so, and goes on with its id: a name stands once in a form. */
export const ACCOUNT_FIELD = 'account.';

/** Of the form that says no, whose button stands beside the others. */
const CANCEL_FORM = 'cancel';

/** Where a simulated user says who they are, before anything is shown that is theirs (§Sandbox). */
export function chooseUserPage(options: {
  language: Language;
  /** Why they are asked. */
  reason: 'choose-sandbox' | 'choose-for-consents';
  client: string;
  users: readonly BankUser[];
  preferred: string | undefined;
  action: string;
  fields: Readonly<Record<string, string>>;
  cancel?: CancelForm;
}): Page {
  const { language, reason, client, users, preferred, action, fields, cancel } = options;
  const first = users.find(({ loginHint }) => loginHint === preferred) ?? users[0];
  const choices = users.map((user) =>
    choice({
      type: 'radio',
      name: 'user',
      value: user.userId,
      checked: user === first,
      words: apart(user.name),
      ...(user.loginHint === undefined ? {} : { more: user.loginHint }),
    }),
  );
  return {
    language,
    title: TEXTS('choose-title').in(language),
    body: html`<p>${TEXTS(reason, { client }).in(language)}</p>
      ${form({
        action,
        fields,
        body: html`<fieldset>
            <legend>${TEXTS('choose-legend').in(language)}</legend>
            ${choices}
          </fieldset>
          <div class="buttons">
            <button class="chief">${TEXTS('continue').in(language)}</button>
            ${cancel && cancelButton(language)}
          </div>`,
      })}
      ${cancel && cancelForm(cancel)}`,
  };
}

/** For whoever came back from the bank's login as nobody: again, or no. */
export function notLoggedInPage(options: {
  language: Language;
  client: string;
  /** Where the bank is asked again. */
  again: string;
  cancel: CancelForm;
}): Page {
  const { language, client, again, cancel } = options;
  return {
    language,
    title: TEXTS('not-logged-in-title').in(language),
    body: html`<p>${TEXTS('not-logged-in', { client }).in(language)}</p>
      <div class="buttons">
        <a class="button chief" href="${again}">${TEXTS('log-in-again').in(language)}</a>
        ${cancelButton(language)}
      </div>
      ${cancelForm(cancel)}`,
  };
}

/** How a person says no. */
export interface CancelForm {
  action: string;
  token: string;
}

const cancelButton = (language: Language): Html =>
  html`<button form="${CANCEL_FORM}">${TEXTS('cancel').in(language)}</button>`;

const cancelForm = ({ action, token }: CancelForm): Html =>
  form({ action, id: CANCEL_FORM, fields: { [TOKEN_FIELD]: token } });

/** Where the user says yes: who asks for what, from which accounts, for how long (§5.9). */
export function consentPage(options: {
  language: Language;
  client: string;
  user: string;
  /** Where they say that they are somebody else. */
  otherUser: string;
  roles: readonly Role[];
  accounts: readonly UserAccount[];
  /** It was submitted without any. */
  noneChosen: boolean;
  validUntil: Date;
  action: string;
  fields: Readonly<Record<string, string>>;
  cancel: CancelForm;
}): Page {
  const { language, client, user, otherUser, validUntil, action, fields, cancel } = options;
  const words = (key: 'until-title' | 'approve' | 'other-user'): string => TEXTS(key).in(language);
  const hasAccounts = options.accounts.length > 0;
  const until = TEXTS('until', { date: writtenDay(validUntil, language) }).in(language);
  return {
    language,
    title: TEXTS('ask-title', { client }).in(language),
    body: html`<p>
        ${TEXTS('signed-in', { user }).in(language)} <a href="${otherUser}">${words('other-user')}</a>
      </p>
      ${whatIsAsked(options)}
      ${form({
        action,
        fields,
        body: html`${accountChoices(options)}
          <h2>${words('until-title')}</h2>
          <p>${until}</p>
          <div class="buttons">
            ${hasAccounts ? html`<button class="chief">${words('approve')}</button>` : undefined}
            ${cancelButton(language)}
          </div>`,
      })}
      ${cancelForm(cancel)}`,
  };
}

function whatIsAsked({ language, client, roles }: Parameters<typeof consentPage>[0]): Html {
  const rights = [
    ...(roles.includes('PSP_AI') ? [TEXTS('may-read-accounts'), TEXTS('may-read-transactions')] : []),
    ...(roles.includes('PSP_PI') ? [TEXTS('may-pay'), TEXTS('may-confirm-funds')] : []),
  ].map((text) => html`<li>${text.in(language)}</li>`);
  return html`<h2>${TEXTS('may-title', { client }).in(language)}</h2>
    <ul>
      ${rights}
    </ul>`;
}

function accountChoices(options: Parameters<typeof consentPage>[0]): Html {
  const { language, accounts, noneChosen } = options;
  if (accounts.length === 0) return html`<p>${TEXTS('no-accounts').in(language)}</p>`;
  const faultId = noneChosen ? 'fault' : undefined;
  const choices = accounts.map(({ accountId, name, currency, ...number }) =>
    choice({
      type: 'checkbox',
      name: ACCOUNT_FIELD + accountId,
      value: 'on',
      checked: false,
      words: apart(name),
      more: `${writtenAccountNumber({ ...number, currency })}\u{a0}·\u{a0}${currency}`,
      faultId,
    }),
  );
  return html`<fieldset>
    <legend>${TEXTS('accounts-legend').in(language)}</legend>
    ${faultId === undefined ? undefined : formFault(TEXTS('none-chosen').in(language), faultId)} ${choices}
  </fieldset>`;
}

/** The last page, which leads back to whoever asked; a form may not be answered with a redirect that leads away. */
export function leavingPage(options: {
  language: Language;
  client: string;
  outcome: 'approved' | 'refused';
  redirectUri: string;
}): Page {
  const { language, client, outcome, redirectUri } = options;
  const onwards = new URL(redirectUri).href;
  return {
    language,
    title: TEXTS('leaving-title', { client }).in(language),
    body: html`<p>${TEXTS(`leaving-${outcome}`).in(language)}</p>
      <div class="buttons">
        <a class="button chief" href="${onwards}">${TEXTS('continue').in(language)}</a>
      </div>`,
    onwards,
  };
}
