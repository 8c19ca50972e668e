import type { Role } from '@kontoport/certificates';
import type { Language } from '@kontoport/errors';
import { html, type Html, type Page } from '@kontoport/pages';
import type { UserAccount } from '@kontoport/proto/accounts/v1';
import { formatAccountNumber } from '../accounts/account-number.model.ts';
import { bidiIsolate } from '../pages/bidi-isolate.ts';
import { formatDay } from '../pages/date.ts';
import { choice, form, formFault, type SignedForm } from '../pages/form.ts';
import { organizationLine } from '../pages/organization.ts';
import { PAGE_TEXTS } from '../pages/texts.ts';
import { cancelButton, cancelForm, signedInLine } from '../user-session/identification-pages.ts';
import { AUTHORIZATION_PAGE_TEXTS as TEXTS } from './page-texts.ts';

/** The prefix of an account's checkbox; the account's id follows, so that each name is in the form once. */
export const ACCOUNT_FIELD = 'account.';

/** The page on which a user gives access. It shows the client, the purpose, the accounts and the duration (§5.9). */
export function consentPage(options: {
  language: Language;
  client: string;
  organizationIdentifier: string;
  user: string;
  /** This page. */
  path: string;
  roles: readonly Role[];
  accounts: readonly UserAccount[];
  /** The form was sent without an account. */
  noneChosen: boolean;
  validUntil: Date;
  approve: SignedForm;
  cancel: SignedForm;
}): Page {
  const { language, client, validUntil, approve, cancel } = options;
  const words = (key: 'until-title' | 'approve'): string => TEXTS(key).in(language);
  const hasAccounts = options.accounts.length > 0;
  const until = TEXTS('until', { date: formatDay(validUntil, language) }).in(language);
  return {
    language,
    title: TEXTS('ask-title', { client }).in(language),
    body: html`${organizationLine(options)} ${signedInLine(options)} ${rightsList(options)}
    ${form({
      ...approve,
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

function rightsList({ language, client, roles }: Parameters<typeof consentPage>[0]): Html {
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
      words: bidiIsolate(name),
      more: `${formatAccountNumber({ ...number, currency })}\u{a0}·\u{a0}${currency}`,
      faultId,
    }),
  );
  return html`<fieldset>
    <legend>${TEXTS('accounts-legend').in(language)}</legend>
    ${faultId === undefined ? undefined : formFault(TEXTS('none-chosen').in(language), faultId)} ${choices}
  </fieldset>`;
}

/** The last page, which leads back to the client. A redirect as the answer to a form would violate `form-action`. */
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
        <a class="button chief" href="${onwards}">${PAGE_TEXTS('continue').in(language)}</a>
      </div>`,
    onwards,
  };
}
